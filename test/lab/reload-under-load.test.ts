import { readdir } from 'node:fs/promises';
import t from 'tap';
import { startLoad } from '../../lab/load.ts';
import { vip } from '../../lab/topology.ts';
import { until } from '../../lab/until.ts';
import { type Balancer, fastCheck, makeBalancer } from '../support/balancer.ts';

t.setTimeout(900_000);

/** The file, with these servers (number and weight). */
function file(servers: readonly (readonly [number: number, weight: number])[], keys: string): string {
  const rows = servers.map(([number, weight]) => `{ address = "10.2.0.1${number}", weight = ${weight} }`);
  return `
    [service.www]
    listen = ["${vip.v4}:80"]
    scheduler = "wrr"
    ${keys}
    server = [${rows.join(', ')}]`;
}

async function listening(balancer: Balancer): Promise<void> {
  await balancer.topology.client.sysctl({ 'net.ipv4.ip_local_port_range': '1100 65000' });
  await Promise.all(balancer.topology.servers.map((server) => server.listen()));
}

t.test('replacing all servers by others: the service is never without one, and no request fails', async (t) => {
  const balancer = await makeBalancer(t, { servers: 4 });
  const { client, director } = balancer.topology;
  await listening(balancer);
  const keys = `drain = "3s"\n${fastCheck}`;
  await balancer.configure(file([[1, 1], [2, 1]], keys)); // prettier-ignore
  await balancer.start();
  await until('both serve', async () => / nat 1, .* nat 1/.test((await balancer.table()).join()));

  const load = await startLoad(client, { host: vip.v4, perSecond: 150, timeoutMs: 20_000 });
  await until('answers', async () => (await load.report()).requests > 50);
  // every state of the table that a fast reader saw, a line each
  const poller = director.spawn('sh', '-c', 'while :; do echo $(ipvsadm -Sn); done');
  let seen = '';
  poller.stdout?.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
  });
  await until('the table is read', () => seen.includes('10.2.0.12'));
  await balancer.configure(file([[3, 1], [4, 1]], keys)); // prettier-ignore
  const outcome = await balancer.reload();
  t.match(outcome, { result: 'applied', operations: [] }, 'nothing changes before the new servers are known to be up');
  const after = /^tcp 10\.1\.0\.100:80 wrr: (10\.2\.0\.1[34]:80 nat 1(, )?){2}$/;
  await until('the others serve alone', async () => after.test((await balancer.table()).join()), 20_000);
  poller.kill();
  const report = await load.stop();
  const states = seen.split('\n').slice(0, -1);
  t.ok(states.length >= 5, `the table was read ${states.length} times`);
  t.strictSame(states.filter((state) => !/ -w [1-9]/.test(state)), [], 'each time with a server'); // prettier-ignore
  t.strictSame(report.failures, [], `none of ${report.requests} requests failed`);
  t.match(report.servers, { server1: Number, server2: Number, server3: Number, server4: Number });
});

t.test('1,000 reloads leave no file descriptor open', async (t) => {
  const balancer = await makeBalancer(t, { servers: 1 });
  const [odd, even] = [1, 2].map((weight) => file([[1, weight]], '')) as [string, string];
  const reload = async (n: number): Promise<void> => {
    await balancer.configure(n % 2 === 0 ? even : odd);
    const { result, changes } = await balancer.reload();
    if (result !== 'applied' || changes !== 1) t.fail(`reload ${n}: ${result}, changes: ${changes}`);
  };
  const descriptors = async (): Promise<number> =>
    (await readdir(`/proc/${balancer.daemon.process.pid ?? 0}/fd`)).length;
  await balancer.configure(odd);
  await balancer.start();
  for (let n = 0; n < 20; n++) await reload(n);
  const before = await descriptors();
  const startMs = performance.now();
  for (let n = 0; n < 1000; n++) await reload(n);
  t.comment(`1,000 reloads in ${Math.round(performance.now() - startMs)} ms`);
  const after = await until(
    'as few as before',
    async () => ((await descriptors()) <= before ? descriptors() : 0),
    3000,
  );
  t.ok(after <= before, `${before} before, ${after} after`);
  t.strictSame(await balancer.table(), ['tcp 10.1.0.100:80 wrr: 10.2.0.11:80 nat 1']);
});

t.test('100 reloads that change weights, add and remove servers under 20,000 requests: none fails', async (t) => {
  const balancer = await makeBalancer(t, { servers: 4 });
  await listening(balancer);
  const keys = 'drain = "5s"\ncheck = { type = "tcp", interval = "1s", timeout = "5s", rise = 1 }';
  /** The n-th of the files: other weights each time; one server is away for long, and now and then another one briefly. */
  const nth = (n: number): string => {
    const away = Math.floor(n / 25) % 4;
    const briefly = n % 5 === 0 ? (away + 1) % 4 : away;
    const members = [0, 1, 2, 3].filter((index) => index !== away && index !== briefly);
    return file(members.map((index) => [index + 1, 1 + ((n * (index + 1)) % 7)]), keys); // prettier-ignore
  };
  await balancer.configure(nth(0));
  await balancer.start();
  await until('all serve', async () => ((await balancer.table()).join().match(/ nat /g) ?? []).length >= 2);
  const load = await startLoad(balancer.topology.client, { host: vip.v4, concurrency: 8, timeoutMs: 30_000 });
  for (let n = 1; n <= 100; n++) {
    await balancer.configure(nth(n));
    const { result } = await balancer.reload();
    if (result !== 'applied') t.fail(`reload ${n}: ${result}`);
    await until('the share of this reload', async () => (await load.report()).requests >= n * 200, 60_000, 20);
  }
  const report = await load.stop();
  t.strictSame(report.failures, [], `none of ${report.requests} requests failed`);
  t.ok(report.requests >= 20_000);
  t.comment(`${report.requests} requests in ${report.durationMs} ms, the slowest ${report.slowestMs} ms`);
  const kinds = new Set(balancer.operations().map((operation) => /: ([+~↓-]) /.exec(operation)?.[1]));
  t.strictSame([...kinds].sort(), ['+', '-', '~', '↓'], 'servers were added, changed, drained and removed');
  t.strictSame(Object.keys(report.servers).sort(), ['server1', 'server2', 'server3', 'server4']);
});
