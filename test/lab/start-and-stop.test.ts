import t from 'tap';
import { ipvsd, startDaemon } from '../../lab/daemon.ts';
import { readTable } from '../../lab/ipvsadm.ts';
import { sendLoad } from '../../lab/load.ts';
import type { RealServer } from '../../lab/real-server.ts';
import { vip } from '../../lab/topology.ts';
import { until } from '../../lab/until.ts';
import { type Balancer, echo, fastCheck, makeBalancer } from '../support/balancer.ts';

t.setTimeout(900_000);

const www = `
[service.www]
listen = ["${vip.v4}:80"]
scheduler = "rr"
${fastCheck}
server = [{ address = "10.2.0.11-12" }]
`;
const old = `
[service.old]
listen = ["${vip.v4}:81"]
server = [{ address = "10.2.0.11" }]
`;
const foreign = 'tcp 203.0.113.9:25 rr: 203.0.113.10:25 nat 7';
const wwwUp = /^tcp 10\.1\.0\.100:80 rr: (10\.2\.0\.1[12]:80 nat 1(, )?){2}$/;

async function addForeign({ topology: { director } }: Balancer): Promise<void> {
  await director.exec('ipvsadm', '-A', '-t', '203.0.113.9:25', '-s', 'rr');
  await director.exec('ipvsadm', '-a', '-t', '203.0.113.9:25', '-r', '203.0.113.10:25', '-m', '-w', '7');
}

/** The kernel's table with all that a re-created row would lose: its place in the list, and its connections so far. */
async function rows({ topology: { director } }: Balancer): Promise<string> {
  return director.exec('ipvsadm', '-Ln', '--nosort', '--exact', '--stats');
}

/** Waits until these servers were probed twice more: whatever a restart could upset has happened by then. */
async function probed(...servers: readonly RealServer[]): Promise<void> {
  const before = servers.map(({ probes }) => probes);
  await until('two more probes', () => servers.every(({ probes }, index) => probes >= (before[index] ?? 0) + 2));
}

t.test(
  'cold start: with all servers dead only the service is written, and each server enters after a passed probe',
  async (t) => {
    const balancer = await makeBalancer(t);
    await balancer.configure(www);
    await balancer.start();
    t.strictSame(await balancer.table(), ['tcp 10.1.0.100:80 rr: '], 'the service alone');

    await balancer.server(2).listen();
    const second = ['tcp 10.1.0.100:80 rr: 10.2.0.12:80 nat 1'];
    t.strictSame(await balancer.tableSoon(second), second, 'the server that answers, and no other');
    t.ok(balancer.server(2).probes >= 1, 'it was probed first');
    await probed(balancer.server(2));
    t.strictSame(await balancer.table(), second, 'the dead one stays out, however often it is probed');

    await balancer.server(1).listen();
    await until('both serve', async () => wwwUp.test((await balancer.table()).join()));
    t.match(await sendLoad(balancer.topology.client, { host: vip.v4, count: 10 }), {
      servers: { server1: 5, server2: 5 },
      failures: [],
    });
    t.strictSame(balancer.operations().slice(-2), [
      'www tcp 10.1.0.100:80: + 10.2.0.12:80 method nat, weight 1',
      'www tcp 10.1.0.100:80: + 10.2.0.11:80 method nat, weight 1',
    ]);
  },
);

t.test('stop, kill -9, start: what is in the kernel is adopted without a single operation', async (t) => {
  const balancer = await makeBalancer(t);
  const { client, director, servers } = balancer.topology;
  await Promise.all(servers.map((server) => server.listen()));
  await addForeign(balancer);
  await balancer.configure(www + old);
  await balancer.start();
  await until('both serve', async () => (await balancer.table()).some((line) => wwwUp.test(line)));
  await sendLoad(client, { host: vip.v4, count: 20 });
  const connection = client.connect(vip.v4, 80).setEncoding('utf8');
  const greeting = await echo(connection, 'hello');
  await until('the kernel counted all', async () => /:80 +21 /.test(await rows(balancer)));

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const [table, before] = [await balancer.table(), await rows(balancer)];
    const startMs = performance.now();
    t.equal(await balancer.daemon.stop(signal), signal === 'SIGTERM' ? 0 : -1, `the daemon ends by ${signal}`);
    const tookMs = Math.round(performance.now() - startMs);
    t.ok(tookMs < 1000, `within a second (${tookMs} ms)`);
    t.strictSame(await balancer.table(), table, 'the table stays');
    t.equal(await echo(connection, 'hello'), greeting, 'connections go on without the daemon');

    await balancer.start();
    await probed(...balancer.topology.servers);
    t.strictSame(balancer.operations(), [], 'the next start does nothing');
    t.strictSame(await balancer.table(), table);
    t.same(counters(await rows(balancer)), counters(before), 'same order, same connections so far');
    t.equal(await echo(connection, 'hello'), greeting, 'the open connection survived');
    t.strictSame(await activeConnections(balancer), [0, 1]);
  }

  const second = await ipvsd(director, 'run', '-c', balancer.file);
  t.match(
    second,
    { code: 1, stderr: /another ipvsd is using .*state/ },
    'a second daemon on the same state is refused',
  );

  await balancer.daemon.stop('SIGKILL');
  await balancer.configure(www);
  await balancer.start();
  await balancer.daemon.logged(/- virtual service/);
  await probed(...balancer.topology.servers);
  t.strictSame(
    balancer.operations(),
    ['tcp 10.1.0.100:81: ↓ 10.2.0.11:81 weight 1 → 0', 'tcp 10.1.0.100:81: - virtual service'],
    'our own service that left the file while the daemon was dead drains and goes at the next start',
  );
  t.ok((await balancer.table()).includes(foreign), 'the service of another tool is left alone');
  t.equal(await echo(connection, 'hello'), greeting);
  connection.destroy();
});

t.test('on_stop = "remove" leaves nothing of ours behind, and keeps the services of others', async (t) => {
  const balancer = await makeBalancer(t);
  await Promise.all(balancer.topology.servers.map((server) => server.listen()));
  await addForeign(balancer);
  await balancer.configure(www + old, 'on_stop = "remove"');
  await balancer.start();
  await until('both serve', async () => (await balancer.table()).some((line) => wwwUp.test(line)));
  // the policy must be the same before and after a reload
  await balancer.hangUp();
  const startMs = performance.now();
  t.equal(await balancer.daemon.stop(), 0);
  const tookMs = Math.round(performance.now() - startMs);
  t.ok(tookMs < 1000, `within a second (${tookMs} ms)`);
  t.strictSame(await balancer.table(), [foreign]);
});

t.test('services of others: untouched by default, removed with unmanaged = "remove"', async (t) => {
  const balancer = await makeBalancer(t, { servers: 1 });
  await addForeign(balancer);
  await balancer.configure(old, 'resync = "1s"');
  await balancer.start();
  const ours = 'tcp 10.1.0.100:81 wlc: 10.2.0.11:81 nat 1';
  t.strictSame(await balancer.table(), [ours, foreign]);
  t.match(await ipvsd(balancer.topology.director, 'status', '-c', balancer.file), {
    code: 0,
    stdout: /not ours:\s+tcp 203\.0\.113\.9:25/,
  });
  t.strictSame((await balancer.reload()).operations, []);
  t.strictSame(await balancer.table(), [ours, foreign], 'a reload leaves it alone');

  await balancer.configure(old, 'unmanaged = "remove"');
  t.strictSame((await balancer.reload()).operations, ['tcp 203.0.113.9:25: ↓ 203.0.113.10:25 weight 7 → 0']);
  t.strictSame(await balancer.tableSoon([ours]), [ours], 'drained and gone');
});

t.test('a file that is wrong at start: every problem is told, the exit code is 1, nothing is written', async (t) => {
  const balancer = await makeBalancer(t, { servers: 1 });
  await balancer.configure(old.replace('listen', 'lisen'));
  const daemon = startDaemon(balancer.topology.director, balancer.file);
  t.equal(await daemon.ended, 1);
  t.match(daemon.log.map(({ msg }) => msg).join('\n'), /ipvsd\.toml:\d+:\d+: service\.old\.lisen: /);
  t.strictSame(await balancer.table(), []);
});

/** Connections so far by row, in the kernel's order. */
function counters(listed: string): string[] {
  return listed.split('\n').map((line) => line.trim().split(/\s+/).slice(0, 3).join(' '));
}

async function activeConnections({ topology: { director } }: Balancer): Promise<number[]> {
  const table = await readTable(director);
  const www = table.find(({ address }) => address === '10.1.0.100:80');
  return (www?.destinations ?? []).map(({ active }) => active).sort();
}
