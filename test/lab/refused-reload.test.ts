import { readdir } from 'node:fs/promises';
import t from 'tap';
import { ipvsd } from '../../lab/daemon.ts';
import { vip } from '../../lab/topology.ts';
import { until } from '../../lab/until.ts';
import { type Balancer, fastCheck, makeBalancer } from '../support/balancer.ts';

t.setTimeout(900_000);

const good = `
[service.www]
listen = ["${vip.v4}:80"]
scheduler = "rr"
${fastCheck}
server = [{ address = "10.2.0.11" }, { address = "10.2.0.12" }]
`;

/** Files that are wrong in one way each, and what is said about them. */
const wrong: readonly (readonly [what: string, text: string, problem: RegExp])[] = [
  ['a key that does not exist', good.replace('scheduler', 'sheduler'), /:\d+:\d+: service\.www\.sheduler: .*scheduler/],
  [
    'a server twice, spelled otherwise',
    good.replace('10.2.0.12', '10.2.0.11", port = 80, name = "again'),
    /:\d+:\d+: /,
  ],
  ['the same listener in two services', good + good.replace('.www', '.web'), /:\d+:\d+: /],
  ['a brace that is missing', good.replace(' }]', ']'), /:\d+:\d+: /],
  ['a value out of range', good.replace('{ address', '{ weight = -1, address'), /:\d+:\d+: .*weight/],
  ['an included file that is missing', 'include = ["gone.toml"]\n' + good, /:\d+:\d+: .*gone\.toml/],
];

async function started(t: Parameters<typeof makeBalancer>[0]): Promise<Balancer> {
  const balancer = await makeBalancer(t);
  await Promise.all(balancer.topology.servers.map((server) => server.listen()));
  await balancer.configure(good);
  await balancer.start();
  await until('both serve', async () => / nat 1, .* nat 1/.test((await balancer.table()).join()));
  return balancer;
}

t.test('a bad file is refused: told by file, line and column; process, table and health checks go on', async (t) => {
  const balancer = await started(t);
  const { director } = balancer.topology;
  const { pid } = balancer.daemon.process;
  const table = await balancer.table();
  const from = balancer.daemon.log.length;

  for (const [what, text, problem] of wrong) {
    await balancer.configure(text);
    const { result, problems, changes } = await balancer.reload();
    const [first] = problems;
    t.match({ result, changes }, { result: 'rejected', changes: 0 }, what);
    t.match(
      `${first?.file ?? ''}:${first?.line ?? 0}:${first?.column ?? 0}: ${first?.path ?? ''}: ${first?.message ?? ''}`,
      problem,
    );
  }

  // every place where a quote or an equals sign can get lost
  const places = [...good.matchAll(/["=]/g)].map(({ index }) => index);
  for (const place of places) {
    await balancer.configure(good.slice(0, place) + good.slice(place + 1));
    const { result, problems } = await balancer.reload();
    const [first] = problems;
    if (result !== 'rejected' || !first || first.line < 1 || first.column < 1)
      t.fail(`without character ${place}: ${result}`);
  }
  t.comment(`${places.length} mutated files`);

  const reload = await ipvsd(director, 'reload', '-c', balancer.file, '--socket', balancer.controlSocket);
  t.match(reload, { code: 1, stderr: /ipvsd\.toml:\d+:\d+: / }, '`ipvsd reload` prints the problem and exits with 1');
  const position = balancer.daemon.log.length;
  await balancer.hangUp();
  await balancer.daemon.logged(/"msg":"[^"]*ipvsd\.toml:\d+:\d+: /, 20_000, position);
  t.pass('SIGHUP: the log tells it');

  t.equal(balancer.daemon.process.exitCode, null, 'the daemon lives');
  t.equal(balancer.daemon.process.pid, pid);
  t.strictSame(await balancer.table(), table, 'the table is unchanged');
  t.strictSame(balancer.operations(from), []);

  await balancer.server(1).kill();
  await until('the dead server is out', async () => /11:80 nat 0/.test((await balancer.table()).join()));
  await balancer.server(1).listen();
  t.strictSame(await balancer.tableSoon(table), table, 'the old configuration is alive: a server went and came back');

  await balancer.configure(good.replace('"rr"', '"wrr"'));
  t.match(await balancer.reload(), { result: 'applied', changes: 1 }, 'and the next good file is taken');
});

t.test('a reload that finds no free file descriptor changes nothing', async (t) => {
  const balancer = await started(t);
  const unchecked = good.replace(fastCheck, '');
  await balancer.configure(unchecked);
  await balancer.reload();
  const table = await balancer.table();
  const pid = String(balancer.daemon.process.pid);
  const limit = async (soft: number | string): Promise<string> =>
    balancer.topology.director.exec('prlimit', '--pid', pid, `--nofile=${soft}:`);
  await balancer.configure('');
  const { length } = await readdir(`/proc/${pid}/fd`);
  await limit(Math.min(length, 3));
  t.strictSame(await balancer.hangUp(), []);
  t.match(
    balancer.daemon.log.map(({ msg }) => msg).join('\n'),
    /EMFILE|file descriptors|too many open files/i,
    'it says why',
  );
  t.strictSame(await balancer.table(), table, 'an empty configuration is not what it read');
  await limit(4096);
  await balancer.configure(unchecked);
  t.match(await balancer.reload(), { result: 'applied', changes: 0 });
});
