import t from 'tap';
import { sendLoad } from '../../lab/load.ts';
import { vip } from '../../lab/topology.ts';
import { until } from '../../lab/until.ts';
import { type Balancer, makeBalancer } from '../support/balancer.ts';

t.setTimeout(900_000);

const intervalMs = 300;
const timeoutMs = 3000;
const fall = 2;

function check(port = 80): string {
  return `check = { type = "http", path = "/healthz", port = ${port}, interval = "${intervalMs}ms", timeout = "${timeoutMs}ms", rise = 1, fall = ${fall} }`;
}

function file(check: string, others = ''): string {
  return `
    ${others}
    [service.www]
    listen = ["${vip.v4}:80"]
    scheduler = "rr"
    ${check}
    server = [{ address = "10.2.0.11" }, { address = "10.2.0.12" }]`;
}

const up = [/10\.2\.0\.11:80 nat 1/, /10\.2\.0\.12:80 nat 1/];
const firstDown = [/10\.2\.0\.11:80 nat 0/, /10\.2\.0\.12:80 nat 1/];

/** Waits until `www` is so. @returns how long that took, in ms */
async function soon(balancer: Balancer, patterns: readonly RegExp[]): Promise<number> {
  const startMs = performance.now();
  const www = async (): Promise<string> => (await balancer.table()).find((line) => line.includes(':80 ')) ?? '';
  await until(`a table like ${patterns.join(' and ')}`, async () => {
    const line = await www();
    return patterns.every((pattern) => pattern.test(line));
  });
  return Math.round(performance.now() - startMs);
}

async function started(t: Parameters<typeof makeBalancer>[0]): Promise<Balancer> {
  const balancer = await makeBalancer(t);
  await Promise.all(balancer.topology.servers.map((server) => server.listen()));
  await balancer.configure(file(check()));
  await balancer.start();
  await soon(balancer, up);
  await until('all is told', () => balancer.operations().length >= 3);
  return balancer;
}

/** Kills server 1, and waits until it is out and the log has told so. */
async function killFirst(balancer: Balancer): Promise<void> {
  await balancer.server(1).kill();
  await soon(balancer, firstDown);
  await balancer.daemon.logged(/10\.2\.0\.11:80 weight 1 → 0/);
}

t.test('a server that dies leaves, and comes back: refused, silent, and with a wrong status', async (t) => {
  const balancer = await started(t);
  const first = balancer.server(1);
  const ways = [
    { what: 'killed', die: () => first.kill(), live: () => first.listen(), reason: /refused/ },
    {
      what: 'silent (its packets are dropped)',
      die: () =>
        first.exec('nft', 'table inet silence { chain incoming { type filter hook input priority 0; policy drop; }; }'),
      live: () => first.exec('nft', 'flush ruleset'),
      reason: /no connection within 3 s/,
    },
    {
      what: 'answering with status 503',
      die: () => void (first.health = 503),
      live: () => void (first.health = 200),
      reason: /503/,
    },
  ];
  for (const { what, die, live, reason } of ways) {
    const from = balancer.daemon.log.length;
    await die();
    const outMs = await soon(balancer, firstDown);
    t.match(await sendLoad(balancer.topology.client, { host: vip.v4, count: 10 }), {
      servers: { server2: 10 },
      failures: [],
    });
    await live();
    const backMs = await soon(balancer, up);
    t.match(await sendLoad(balancer.topology.client, { host: vip.v4, count: 10 }), {
      servers: { server1: 5, server2: 5 },
      failures: [],
    });
    t.comment(`${what}: out after ${outMs} ms, back after ${backMs} ms`);
    await until('both edits are told', () => balancer.operations(from).length >= 2);
    t.strictSame(balancer.operations(from), [
      'www tcp 10.1.0.100:80: ↓ 10.2.0.11:80 weight 1 → 0',
      'www tcp 10.1.0.100:80: ~ 10.2.0.11:80 weight 0 → 1',
    ], `${what}: one edit each way`); // prettier-ignore
    const told = balancer.daemon.log.slice(from).filter(({ after }) => after !== undefined);
    t.match(told, [{ after: 'down', msg: reason }, { after: 'up' }], `${what}: told once each, with the reason`);
  }
  const from = balancer.daemon.log.length;
  const before = first.probes;
  await until('five more probes', () => first.probes >= before + 5);
  t.equal(balancer.daemon.log.length, from, 'probes that change nothing are not logged');
});

t.test(
  'a server that is down stays down over ten reloads with unrelated changes, and comes back by its own probes',
  async (t) => {
    const balancer = await started(t);
    await killFirst(balancer);
    const from = balancer.daemon.log.length;
    for (let n = 1; n <= 10; n++) {
      const other = `[service.a${n}]\nlisten = ["${vip.v4}:${8000 + n}"]\nserver = [{ address = "10.2.0.11" }]`;
      await balancer.configure(file(check(), other));
      const operations = await balancer.hangUp();
      t.match(
        operations.join('\n'),
        `a${n} tcp 10.1.0.100:${8000 + n}: + virtual service`,
        `reload ${n}: did something`,
      );
      t.match((await balancer.table()).join('\n'), firstDown[0], `reload ${n}: still out`);
    }
    t.notMatch(
      balancer.operations(from).join('\n'),
      /^www /m,
      'nothing at all was done to the service of the server that is down',
    );
    await balancer.server(1).listen();
    t.comment(`back after ${await soon(balancer, up)} ms`);
    await balancer.daemon.logged(/10\.2\.0\.11:80 weight 0 → 1/);
    t.strictSame(
      balancer.operations(from).filter((operation) => operation.startsWith('www ')),
      ['www tcp 10.1.0.100:80: ~ 10.2.0.11:80 weight 0 → 1'],
    );
  },
);

t.test('an edited check keeps the verdict until its own first result, then obeys it', async (t) => {
  const balancer = await started(t);
  await balancer.server(2).listen(8080);
  await killFirst(balancer);
  await balancer.server(1).listen(8080);
  // the check's port changes while the server is down
  await balancer.configure(file(check(8080)));
  const from = balancer.daemon.log.length;
  await balancer.hangUp();
  await soon(balancer, up);
  await balancer.daemon.logged(/10\.2\.0\.11:80 weight 0 → 1/);
  t.strictSame(
    balancer.operations(from),
    ['www tcp 10.1.0.100:80: ~ 10.2.0.11:80 weight 0 → 1'],
    'in after the first passed probe of the edited check, and nothing else',
  );

  const edited = balancer.daemon.log.length;
  await balancer.configure(file(check(8081)));
  t.strictSame(await balancer.hangUp(), [], 'servers that are up stay in at the edit');
  await soon(balancer, [/11:80 nat 0/, /12:80 nat 0/]);
  await until('both are told', () => balancer.operations(edited).length >= 2);
  t.equal(balancer.operations(edited).length, 2, 'out after as many failures as `fall` says');
});

t.test('a dead server that a reload adds never enters the table', async (t) => {
  const balancer = await started(t);
  const before = await balancer.table();
  await balancer.configure(file(check()).replace('"10.2.0.12" }', '"10.2.0.12" }, { address = "10.2.0.77" }'));
  t.strictSame((await balancer.reload()).operations, []);
  const { probes } = balancer.server(2);
  await until('five more probes', () => balancer.server(2).probes >= probes + 5);
  t.strictSame(await balancer.table(), before);
});

t.test('a failed server that leaves the file leaves the table', async (t) => {
  const balancer = await started(t);
  await killFirst(balancer);
  await balancer.configure(file(check()).replace('{ address = "10.2.0.11" },', ''));
  t.strictSame((await balancer.reload()).operations, ['www tcp 10.1.0.100:80: - 10.2.0.11:80']);
  t.strictSame(await balancer.table(), ['tcp 10.1.0.100:80 rr: 10.2.0.12:80 nat 1']);
});
