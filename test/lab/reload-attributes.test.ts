import t from 'tap';
import { sendLoad } from '../../lab/load.ts';
import { vip } from '../../lab/topology.ts';
import { until } from '../../lab/until.ts';
import { echo, makeBalancer } from '../support/balancer.ts';

t.setTimeout(900_000);

/** What the file says where a row of the table says nothing else. */
const usual = {
  timeouts: 'tcp = "15m"\ntcp_fin = "2m"\nudp = "5m"',
  www: 'scheduler = "wrr"\nmode = "nat"',
  server: 'weight = 10',
  six: 'scheduler = "wlc"',
  dns: 'scheduler = "rr"',
};

/** One edited attribute: which part of the file says it, and what the operation and ipvsadm's line are then. */
interface Edit {
  readonly attribute: string;
  readonly part: keyof typeof usual;
  readonly toml: string;
  readonly operation: string;
  readonly line: string;
}

const www = 'tcp 10.1.0.100:80 wrr: 10.2.0.11:80 nat 10, 10.2.0.12:80 nat 1';
const six = 'tcp [fd01::100]:80 wlc: [fd02::11]:80 nat 1';
const dns = 'udp 10.1.0.100:53 rr: 10.2.0.11:53 nat 1';

/** A row about the service `www`. */
function service(attribute: string, toml: string, operation: string, words: string): Edit {
  const line = `tcp 10.1.0.100:80 ${words}: 10.2.0.11:80 nat 10, 10.2.0.12:80 nat 1`;
  return { attribute, part: 'www', toml, operation: `www tcp 10.1.0.100:80: ~ virtual service ${operation}`, line };
}

/** A row about the server 10.2.0.11 of `www`. */
function server(attribute: string, toml: string, operation: string, words: string): Edit {
  const line = `tcp 10.1.0.100:80 wrr: 10.2.0.11:80 ${words}, 10.2.0.12:80 nat 1`;
  return { attribute, part: 'server', toml, operation: `www tcp 10.1.0.100:80: ~ 10.2.0.11:80 ${operation}`, line };
}

const edits: readonly Edit[] = [
  service('scheduler', 'scheduler = "sed"', 'scheduler wrr → sed', 'sed'),
  service(
    'scheduler flags',
    'scheduler = "sh"\nscheduler_flags = ["fallback", "port"]',
    'scheduler wrr → sh, flags none → fallback+port',
    'sh -b sh-fallback,sh-port',
  ),
  service(
    'persistence',
    'scheduler = "wrr"\npersistence = { timeout = "6m" }',
    'flags none → persistent, persistence 0 s → 360 s',
    'wrr -p 360',
  ),
  service(
    'persistence, netmask',
    'scheduler = "wrr"\npersistence = { timeout = "6m", prefix = 24 }',
    'flags none → persistent, persistence 0 s → 360 s, persistence prefix /32 → /24',
    'wrr -p 360 -M 255.255.255.0',
  ),
  {
    attribute: 'persistence of IPv6, netmask',
    part: 'six',
    toml: 'persistence = { timeout = "1m", prefix6 = 64 }',
    operation:
      'six tcp [fd01::100]:80: ~ virtual service flags none → persistent, persistence 0 s → 60 s, persistence prefix /128 → /64',
    line: 'tcp [fd01::100]:80 wlc -p 60 -M 64: [fd02::11]:80 nat 1',
  },
  {
    attribute: 'persistence engine',
    part: 'dns',
    toml: 'scheduler = "rr"\npersistence = { timeout = "1m", engine = "sip" }',
    operation:
      'dns udp 10.1.0.100:53: ~ virtual service flags none → persistent, persistence 0 s → 60 s, persistence engine none → sip',
    line: 'udp 10.1.0.100:53 rr -p 60 --pe sip: 10.2.0.11:53 nat 1',
  },
  {
    attribute: 'one packet',
    part: 'dns',
    toml: 'scheduler = "rr"\none_packet = true',
    operation: 'dns udp 10.1.0.100:53: ~ virtual service flags none → one-packet',
    line: 'udp 10.1.0.100:53 rr -o: 10.2.0.11:53 nat 1',
  },
  server('weight', 'weight = 20', 'weight 10 → 20', 'nat 20'),
  server('mode dr', 'weight = 10, mode = "dr"', 'method nat → dr', 'dr 10'),
  server('mode tun', 'weight = 10, mode = "tun"', 'method nat → tun', 'tun 10 --tun-type ipip'),
  server(
    'tunnel gue',
    'weight = 10, mode = "tun", tunnel = { type = "gue", port = 6081, checksum = "full" }',
    'method nat → tun, tunnel ipip → gue port 6081 checksum full',
    'tun 10 --tun-type gue --tun-port 6081 --tun-csum',
  ),
  server(
    'tunnel gue, remote checksum',
    'weight = 10, mode = "tun", tunnel = { type = "gue", checksum = "remote" }',
    'method nat → tun, tunnel ipip → gue port 6080 checksum remote',
    'tun 10 --tun-type gue --tun-port 6080 --tun-remcsum',
  ),
  server(
    'tunnel gre',
    'weight = 10, mode = "tun", tunnel = { type = "gre" }',
    'method nat → tun, tunnel ipip → gre',
    'tun 10 --tun-type gre --tun-nocsum',
  ),
];

function file(parts: Partial<typeof usual>): string {
  const { timeouts, www, server, six, dns } = { ...usual, ...parts };
  return `
    [timeouts]
    ${timeouts}
    [service.www]
    listen = ["${vip.v4}:80"]
    ${www}
    server = [{ address = "10.2.0.12" }, { address = "10.2.0.11", ${server} }]
    [service.six]
    listen = ["[${vip.v6}]:80"]
    ${six}
    server = [{ address = "fd02::11" }]
    [service.dns]
    listen = ["${vip.v4}:53"]
    protocol = "udp"
    ${dns}
    server = [{ address = "10.2.0.11" }]`;
}

t.test(
  'every attribute of services and servers is edited in place by a reload: one operation, nothing re-created',
  async (t) => {
    const balancer = await makeBalancer(t);
    const { client, director, servers } = balancer.topology;
    await Promise.all(servers.map((server) => server.listen()));
    await balancer.configure(file({}));
    await balancer.start();
    t.strictSame(await balancer.table(), [www, six, dns].sort());
    await sendLoad(client, { host: vip.v4, count: 21 });
    await sendLoad(client, { host: vip.v6, count: 4 });
    const connection = client.connect(vip.v4, 80).setEncoding('utf8');
    const greeting = await echo(connection, 'hello');
    const counted = /10\.1\.0\.100:80 +22 [^]*fd01::100\]:80 +4 /;
    const flipped = /fd01::100\]:80 +4 [^]*10\.1\.0\.100:80 +22 /;
    /** Connections so far, by row, in the kernel's order: a re-created row begins at 0 and moves. */
    const counters = async (): Promise<string[]> => {
      const listed = await director.exec('ipvsadm', '-Ln', '--nosort', '--exact', '--stats');
      return listed.split('\n').map((line) => line.trim().split(/\s+/).slice(0, 3).join(' '));
    };
    await until('the kernel counted all', async () => {
      const listed = (await counters()).map((line) => `${line} `).join('\n');
      return counted.test(listed) || flipped.test(listed);
    });
    const before = await counters();

    for (const { attribute, part, toml, operation, line } of edits) {
      await balancer.configure(file({ [part]: toml }));
      t.match(await balancer.reload(), { result: 'applied', changes: 1, operations: [operation] }, attribute);
      const table = await balancer.table();
      t.ok(table.includes(line), `${attribute}: ${line}`, { table });
      await balancer.configure(file({}));
      t.match(await balancer.reload(), { result: 'applied', changes: 1 }, `${attribute}: and back`);
      t.match(balancer.operations().at(-1), / ~ /, 'by an edit');
      t.strictSame(await counters(), before, `${attribute}: nothing was re-created`);
    }

    await balancer.configure(file({ server: 'weight = 10, max_connections = 1000, min_connections = 700' }));
    t.strictSame(
      (await balancer.reload()).operations,
      ['www tcp 10.1.0.100:80: ~ 10.2.0.11:80 max connections no limit → 1000, min connections automatic → 700'],
      'thresholds',
    );
    // ipvsadm -S does not tell them
    t.match(await director.exec('ipvsadm', '-Ln', '--thresholds'), /-> 10\.2\.0\.11:80 +1000 +700 /);
    t.strictSame(await counters(), before, 'thresholds: nothing was re-created');
    await balancer.configure(file({}));
    await balancer.reload();
    t.strictSame(await balancer.table(), [www, six, dns].sort());
    t.equal(await echo(connection, 'hello'), greeting, 'a connection lived through all of it');
    connection.destroy();

    await balancer.configure(file({ timeouts: 'tcp = "10m"\ntcp_fin = "1m"\nudp = "30s"' }));
    t.strictSame((await balancer.reload()).operations, [
      'timeouts: ~ tcp 900 s → 600 s, tcp-fin 120 s → 60 s, udp 300 s → 30 s',
    ]);
    t.match(await director.exec('ipvsadm', '-L', '--timeout'), /: 600 60 30$/m);
  },
);

t.test('weight 0 in the file means no new connections, and 0 → 10 is an edit', async (t) => {
  const balancer = await makeBalancer(t);
  const { client, servers } = balancer.topology;
  await Promise.all(servers.map((server) => server.listen()));
  await balancer.configure(file({ server: 'weight = 0' }));
  await balancer.start();
  t.ok((await balancer.table()).includes('tcp 10.1.0.100:80 wrr: 10.2.0.11:80 nat 0, 10.2.0.12:80 nat 1'));
  t.match(await sendLoad(client, { host: vip.v4, count: 10 }), { servers: { server2: 10 }, failures: [] });
  await balancer.configure(file({}));
  t.strictSame((await balancer.reload()).operations, ['www tcp 10.1.0.100:80: ~ 10.2.0.11:80 weight 0 → 10']);
  t.match(await sendLoad(client, { host: vip.v4, count: 11 }), { servers: { server1: 10, server2: 1 }, failures: [] });
});
