import t from 'tap';
import { sendLoad } from '../../lab/load.ts';
import { vip } from '../../lab/topology.ts';
import { until } from '../../lab/until.ts';
import { type Balancer, echo, makeBalancer } from '../support/balancer.ts';
import { openDatagramClient } from '../support/datagrams.ts';

t.setTimeout(900_000);

const both = '{ address = "10.2.0.11" }, { address = "10.2.0.12" }';
const secondOnly = '{ address = "10.2.0.12" }';

function file(servers: string, drain: string): string {
  return `
    [service.www]
    listen = ["${vip.v4}:80"]
    scheduler = "rr"
    drain = "${drain}"
    server = [${servers}]`;
}

const shop = `
    [service.shop]
    listen = ["${vip.v4}:81"]
    server = [{ address = "10.2.0.11", port = 80 }]`;

type Connection = ReturnType<Balancer['topology']['client']['connect']>;

/** An open connection to server 1 through a port of the VIP. */
async function connectToFirst(balancer: Balancer, port = 80): Promise<Connection> {
  for (;;) {
    const connection = balancer.topology.client.connect(vip.v4, port).setEncoding('utf8');
    if ((await echo(connection, 'hello')) === 'server1: hello') return connection;
    connection.resetAndDestroy();
  }
}

async function started(t: Parameters<typeof makeBalancer>[0], text: string): Promise<Balancer> {
  const balancer = await makeBalancer(t);
  await Promise.all(balancer.topology.servers.map((server) => server.listen()));
  await balancer.configure(text);
  await balancer.start();
  return balancer;
}

t.test('a server that leaves the file finishes its connections at weight 0, and goes when they are gone', async (t) => {
  const balancer = await started(t, file(both, '5m') + shop);
  const { client } = balancer.topology;
  const full = await balancer.table();
  const connection = await connectToFirst(balancer);
  const order = await connectToFirst(balancer, 81);

  const lower = ['www tcp 10.1.0.100:80: ↓ 10.2.0.11:80 weight 1 → 0'];
  await balancer.configure(file(secondOnly, '5m') + shop);
  t.strictSame(
    (await balancer.reload()).operations,
    lower,
    'the first operation lowers the weight, nothing is deleted',
  );
  t.equal(await echo(connection, 'more'), 'server1: more', 'its connection goes on');
  t.match(
    await sendLoad(client, { host: vip.v4, count: 6 }),
    { servers: { server2: 6 }, failures: [] },
    'new ones go elsewhere',
  );

  await balancer.configure(file(both, '5m') + shop);
  t.strictSame(
    (await balancer.reload()).operations,
    ['www tcp 10.1.0.100:80: ~ 10.2.0.11:80 weight 0 → 1'],
    'coming back cancels the drain by an edit',
  );
  t.equal(await echo(connection, 'more'), 'server1: more');
  t.strictSame(await balancer.table(), full);

  await balancer.configure(file(secondOnly, '5m'));
  t.strictSame(
    [...(await balancer.reload()).operations].sort(),
    ['tcp 10.1.0.100:81: ↓ 10.2.0.11:80 weight 1 → 0', ...lower],
    'a service that leaves the file drains too',
  );
  t.equal(await echo(order, 'pay'), 'server1: pay', 'its connection goes on');

  // killed in mid-drain: the next start goes on draining
  await balancer.daemon.stop('SIGKILL');
  await balancer.start();
  t.equal(await echo(connection, 'more'), 'server1: more');
  t.equal(await echo(order, 'pay'), 'server1: pay');
  t.strictSame(balancer.operations(), []);

  connection.resetAndDestroy();
  order.resetAndDestroy();
  const rest = ['tcp 10.1.0.100:80 rr: 10.2.0.12:80 nat 1'];
  t.strictSame(await balancer.tableSoon(rest), rest, 'both are gone once their connections are');
  await until('both are told', () => balancer.operations().length >= 2);
  t.strictSame([...balancer.operations()].sort(), [
    'tcp 10.1.0.100:81: - virtual service',
    'www tcp 10.1.0.100:80: - 10.2.0.11:80',
  ]);
});

t.test('a drain that was cut short by a crash leaves nobody at weight 0', async (t) => {
  const balancer = await started(t, file(both, '5m'));
  const full = await balancer.table();
  const connection = await connectToFirst(balancer);
  await balancer.configure(file(secondOnly, '5m'));
  await balancer.reload();
  await balancer.daemon.stop('SIGKILL');
  await balancer.configure(file(both, '5m'));
  await balancer.start();
  t.strictSame(balancer.operations(), ['www tcp 10.1.0.100:80: ~ 10.2.0.11:80 weight 0 → 1']);
  t.strictSame(await balancer.table(), full);
  connection.destroy();
});

t.test('the deadline of a drain cuts what is left; "0s" cuts at once', async (t) => {
  const balancer = await started(t, file(both, '2s'));
  const connection = await connectToFirst(balancer);
  await balancer.configure(file(secondOnly, '2s'));
  const startMs = performance.now();
  t.strictSame((await balancer.reload()).operations, ['www tcp 10.1.0.100:80: ↓ 10.2.0.11:80 weight 1 → 0']);
  await balancer.daemon.logged(/- 10\.2\.0\.11:80/);
  const tookMs = Math.round(performance.now() - startMs);
  t.ok(tookMs >= 2000, `not before its time (${tookMs} ms)`);
  t.strictSame(await balancer.table(), ['tcp 10.1.0.100:80 rr: 10.2.0.12:80 nat 1']);
  connection.destroy();

  await balancer.configure(file(both, '0s'));
  await balancer.reload();
  const second = await connectToFirst(balancer);
  await balancer.configure(file(secondOnly, '0s'));
  t.strictSame((await balancer.reload()).operations, ['www tcp 10.1.0.100:80: - 10.2.0.11:80']);
  second.destroy();
});

t.test('UDP servers leave at once, as clients that re-use a source port would hold them for ever', async (t) => {
  const dns = (servers: string): string => file(servers, '5m').replace(':80"]', ':53"]\nprotocol = "udp"');
  const balancer = await started(t, dns(both));
  const { client, servers } = balancer.topology;
  await Promise.all(servers.map((server) => server.listenUdp(53)));
  // a gone destination must not keep the client's entry (expire_nodest_conn)
  await balancer.topology.director.sysctl({ 'net.ipv4.vs.expire_nodest_conn': 1 });
  const resolver = await openDatagramClient(client, 'inet');
  const answer = (await resolver.ask(vip.v4, 53)) ?? '';
  const [served, other] = answer.startsWith('server1') ? ['11', '12'] : ['12', '11'];
  await balancer.configure(dns(`{ address = "10.2.0.${other}" }`));
  t.strictSame((await balancer.reload()).operations, [`www udp 10.1.0.100:53: - 10.2.0.${served}:53`]);
  t.strictSame(await balancer.table(), [`udp 10.1.0.100:53 rr: 10.2.0.${other}:53 nat 1`]);
  // the first datagram may be what expires the entry
  const next = await until('an answer from the other server', () => resolver.ask(vip.v4, 53));
  t.equal(next, `server${other === '11' ? 1 : 2}: hello`, 'the same client is served by the other server');
  resolver.close();
});
