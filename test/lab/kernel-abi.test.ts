import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { mustRun, runCommand } from '../../lab/command.ts';
import { inNamespace } from '../../lab/network-namespace.ts';
import type { Kernel } from '../../src/kernel/kernel.ts';
import { openLinuxKernel } from '../../src/kernel/linux-kernel.ts';
import { type Destination, ipip } from '../../src/model/destination.ts';
import type { Operation, Plan } from '../../src/model/operation.ts';
import type { LiveState } from '../../src/model/state.ts';
import type { VirtualServiceId } from '../../src/model/virtual-service.ts';
import { NETLINK_GENERIC } from '../../src/netlink/protocol.ts';
import { openNetlinkSocket } from '../../src/netlink/socket-transport.ts';
import { destination, serviceId, virtualService } from '../support/compact.ts';

const namespace = `abi-${process.pid}`;

/** A namespace of its own, so that only this test writes its table. `lo` is up: else the kernel takes no destination. */
async function open(): Promise<Kernel> {
  await mustRun(['ip', 'netns', 'add', namespace]);
  t.teardown(() => mustRun(['ip', 'netns', 'delete', namespace]));
  await mustRun(['ip', '-n', namespace, 'link', 'set', 'lo', 'up']);
  return openLinuxKernel({ openTransport: () => inNamespace(namespace, () => openNetlinkSocket(NETLINK_GENERIC)) });
}

/** What an independent witness says, one line each. */
async function ipvsadm(...words: string[]): Promise<readonly string[]> {
  const text = await mustRun(['ip', 'netns', 'exec', namespace, 'ipvsadm', ...words]);
  return text
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim());
}

const addService = (line: string): Operation => ({ kind: 'add-service', service: virtualService(line) });
const editService = (from: string, line: string): Operation => ({
  kind: 'edit-service',
  service: virtualService(line),
  from: virtualService(from),
});
const add = (id: VirtualServiceId, added: Destination): Operation => ({
  kind: 'add-destination',
  id,
  destination: added,
});
const edit = (id: VirtualServiceId, from: Destination, edited: Destination): Operation => ({
  kind: 'edit-destination',
  id,
  from,
  destination: edited,
});

/** The table as read by ourselves: service lines do not fit, so objects. */
const destinationsOf = ({ services }: LiveState, key: string) => [...(services.get(key)?.destinations.values() ?? [])];

const tcp = serviceId('tcp 192.0.2.1:80');
const tun = { ...destination('10.0.0.2:80 tun'), maxConnections: 100, minConnections: 50 };
const gue = { ...tun, tunnel: { type: 'gue', port: 6080, checksum: 'full' } as const };
const gre: Destination = {
  ...destination('[2001:db8::5]:80 tun weight=7'),
  tunnel: { type: 'gre', port: 0, checksum: 'none' },
};

const kernel = await open();
t.teardown(() => {
  kernel.close();
});

await t.test('every attribute of a virtual service is added, edited in place and read', async (t) => {
  const cases: readonly [from: string, line: string, saved: string][] = [
    ['', 'tcp 192.0.2.1:80 wrr', '-A -t 192.0.2.1:80 -s wrr'],
    ['', 'udp 192.0.2.1:53 rr flags=4', '-A -u 192.0.2.1:53 -s rr -o'],
    ['', 'sctp 192.0.2.1:36412 lc', '-A --sctp-service 192.0.2.1:36412 -s lc'],
    ['', 'tcp [2001:db8::1]:443 mh flags=24 prefix=128', '-A -t [2001:db8::1]:443 -s mh -b mh-fallback,mh-port'],
    ['', 'fwmark 7 inet rr flags=1 persistence=300 prefix=24', '-A -f 7 -s rr -p 300 -M 255.255.255.0'],
    ['', 'fwmark 100000 inet6 sh flags=1 persistence=60 prefix=64', '-A -f 100000 -6 -s sh -p 60 -M 64'],
    ['', 'udp 192.0.2.1:5060 rr flags=5 persistence=60 engine=sip', '-A -u 192.0.2.1:5060 -s rr -p 60 --pe sip -o'],
    ['tcp 192.0.2.1:80 wrr', 'tcp 192.0.2.1:80 wlc', '-A -t 192.0.2.1:80 -s wlc'],
    [
      'tcp 192.0.2.1:80 wlc',
      'tcp 192.0.2.1:80 sh flags=9 persistence=60',
      '-A -t 192.0.2.1:80 -s sh -p 60 -b sh-fallback',
    ],
    [
      'udp 192.0.2.1:5060 rr flags=5 persistence=60 engine=sip',
      'udp 192.0.2.1:5060 rr flags=1 persistence=60',
      '-A -u 192.0.2.1:5060 -s rr -p 60',
    ],
  ];
  for (const [from, line, saved] of cases) {
    t.strictSame(await kernel.apply([from === '' ? addService(line) : editService(from, line)]), [], line);
    t.ok((await ipvsadm('-Sn')).includes(saved), `${line}: ipvsadm agrees`);
    const wanted = virtualService(line);
    const { services } = await kernel.snapshot({ only: [wanted.id] });
    t.strictSame(
      [...services.values()].map(({ service }) => service),
      [wanted],
      `${line}: reads the same`,
    );
  }
  t.equal((await kernel.snapshot()).services.size, 7);
});

await t.test('every attribute of a destination is added, edited in place and read', async (t) => {
  const nat = destination('10.0.0.1:8080 nat weight=5');
  const plan: Plan = [add(tcp, nat), add(tcp, gue), add(tcp, gre)];
  t.strictSame(await kernel.apply(plan), []);
  const lines = await ipvsadm('-Sn');
  for (const line of [
    '-a -t 192.0.2.1:80 -r 10.0.0.1:8080 -m -w 5',
    '-a -t 192.0.2.1:80 -r 10.0.0.2:80 -i -w 1 --tun-type gue --tun-port 6080 --tun-csum',
    '-a -t 192.0.2.1:80 -r [2001:db8::5]:80 -i -w 7 --tun-type gre --tun-nocsum',
  ]) {
    t.ok(lines.includes(line), line);
  }
  t.ok((await ipvsadm('-Ln', '--thresholds')).includes('-> 10.0.0.2:80 100 50 0 0'));

  const edits: Plan = [
    edit(tcp, nat, { ...nat, method: 'dr', weight: 0 }),
    edit(tcp, gue, { ...tun, maxConnections: 0, minConnections: 0, tunnel: ipip }),
    edit(tcp, gre, { ...gre, tunnel: { type: 'gue', port: 6081, checksum: 'remote' } }),
  ];
  t.strictSame(await kernel.apply(edits), []);
  const after = await ipvsadm('-Sn');
  for (const line of [
    '-a -t 192.0.2.1:80 -r 10.0.0.1:8080 -g -w 0',
    '-a -t 192.0.2.1:80 -r 10.0.0.2:80 -i -w 1 --tun-type ipip',
    '-a -t 192.0.2.1:80 -r [2001:db8::5]:80 -i -w 7 --tun-type gue --tun-port 6081 --tun-remcsum',
  ]) {
    t.ok(after.includes(line), line);
  }
  const connections = { activeConnections: 0, inactiveConnections: 0, persistentConnections: 0 };
  const wanted = edits.flatMap((operation) => ('destination' in operation ? [operation.destination] : []));
  t.strictSame(
    destinationsOf(await kernel.snapshot(), 'tcp 192.0.2.1:80'),
    wanted.reverse().map((live) => ({ ...live, ...connections })),
    'reads the same, newest first',
  );
});

await t.test('timeouts and the version', async (t) => {
  const timeouts = { tcpSeconds: 901, tcpFinSeconds: 121, udpSeconds: 301 };
  t.strictSame(await kernel.apply([{ kind: 'set-timeouts', timeouts, from: timeouts }]), []);
  t.strictSame((await kernel.snapshot()).timeouts, timeouts);
  t.strictSame(await ipvsadm('-L', '--timeout'), ['Timeout (tcp tcpfin udp): 901 121 301']);
  const { ipvsVersion, connectionTableSize } = await kernel.info();
  const [first] = await ipvsadm('-Ln');
  t.equal(first, `IP Virtual Server version ${ipvsVersion} (size=${connectionTableSize})`);
});

await t.test('statistics are read when asked for', async (t) => {
  const read = async (statistics: boolean) =>
    destinationsOf(await kernel.snapshot({ statistics }), 'tcp 192.0.2.1:80').map(
      ({ statistics }) => statistics?.connections,
    );
  t.strictSame(await read(true), [0n, 0n, 0n]);
  t.strictSame(await read(false), [undefined, undefined, undefined]);
});

await t.test('failures say what, why and what to do, and the rest of the plan is done', async (t) => {
  const missing = serviceId('tcp 192.0.2.9:80');
  const plan: Plan = [
    addService('tcp 192.0.2.8:80 nosuch'),
    add(serviceId('tcp 192.0.2.8:80'), destination('10.0.0.1:80')),
    add(missing, destination('10.0.0.1:80')),
    add(tcp, destination('10.0.0.1:8080')),
    add(tcp, destination('10.0.0.3:80 min=2 max=1')),
    add(tcp, destination('224.0.0.1:80')),
    add(tcp, destination('10.0.0.4:80 weight=4')),
    edit(tcp, destination('10.0.0.5:80'), destination('10.0.0.5:80 weight=2')),
  ];
  const failures = await kernel.apply(plan);
  t.strictSame(
    failures.map(({ operation, code }) => [plan.indexOf(operation), code]),
    [
      [0, 'ENOENT'],
      [2, 'ESRCH'],
      [3, 'EEXIST'],
      [4, 'ERANGE'],
      [5, 'EINVAL'],
      [7, 'ENOENT'],
    ],
  );
  t.match(failures[0]?.message, /tcp 192\.0\.2\.8:80.*scheduler nosuch.*ip_vs_nosuch.*its destination is missing too/);
  t.ok((await ipvsadm('-Sn')).includes('-a -t 192.0.2.1:80 -r 10.0.0.4:80 -m -w 4'), 'the rest is done');
});

await t.test('without CAP_NET_ADMIN the error says what is missing', async (t) => {
  const module = join(import.meta.dirname, '../../src/kernel/linux-kernel.js');
  const script = `import { openLinuxKernel } from '${module}'; await openLinuxKernel().catch((e) => console.log(e.message));`;
  const node = [process.execPath, '--input-type=module', '-e', script];
  const { stdout } = await runCommand(['setpriv', '--bounding-set=-net_admin', ...node]);
  t.match(stdout, /cannot read the IPVS timeouts: operation not permitted \(EPERM\).*CAP_NET_ADMIN/);
});

await t.test('thousands of calls leave no descriptor behind', { timeout: 120_000 }, async (t) => {
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const live = destination('10.0.0.4:80');
  const before = descriptors();
  for (let call = 0; call < 1000; call++) {
    await kernel.apply([edit(tcp, live, { ...live, weight: call })]);
    await kernel.snapshot({ only: [tcp] });
  }
  t.equal(descriptors(), before);
  t.ok((await ipvsadm('-Sn')).includes('-a -t 192.0.2.1:80 -r 10.0.0.4:80 -m -w 999'));
});

await t.test('what is removed is gone', async (t) => {
  const { services } = await kernel.snapshot();
  const removals = [...services.values()].flatMap(({ service, destinations }): Plan => [
    ...[...destinations.values()].map((gone) => ({
      kind: 'remove-destination' as const,
      id: service.id,
      destination: gone,
    })),
    { kind: 'remove-service', service },
  ]);
  t.equal(removals.length, 7 + 4);
  t.strictSame(await kernel.apply(removals), []);
  t.strictSame(await ipvsadm('-Sn'), ['']);
});
