import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Daemon, ipvsd, startDaemon } from './daemon.ts';
import { readTableText } from './ipvsadm.ts';
import { type Load, type LoadReport, startLoad } from './load.ts';
import { type Topology, makeTopology, vip } from './topology.ts';
import { until } from './until.ts';

/** `npm run demo`: the main job of ipvsd on a real IPVS kernel, told as it happens. Ends with code 1 if anything is not so. */

const directory = mkdtempSync(join(tmpdir(), 'ipvsd-demo-'));
const file = join(directory, 'ipvsd.toml');

const configuration = `[daemon]
control_socket = "${directory}/control.sock"
state_dir = "${directory}/state"

[check.web]
type = "http"
path = "/healthz"
interval = "500ms"
timeout = "300ms"
rise = 2
fall = 2

[service.www]
listen = ["${vip.v4}:80"]
scheduler = "wrr"
check = "web"
drain = "20s"`;

/** Writes the file, with the weights of server1, server2 and so on. */
function write(...weights: readonly number[]): void {
  writeFileSync(file, configurationOf(weights));
}

function configurationOf(weights: readonly number[]): string {
  const servers = weights.map(
    (weight, index) =>
      `[[service.www.server]]\nname = "server${index + 1}"\naddress = "10.2.0.${index + 11}"\nweight = ${weight}\n`,
  );
  return [configuration, ...servers].join('\n');
}

/** A chapter heading. */
function chapter(title: string): void {
  console.log(`\n\u001b[1m── ${title}\u001b[0m`);
}

function show(text: string): void {
  console.log(text.trimEnd().replace(/^/gm, '   '));
}

/** @throws {Error} when something the demo promises is not so */
function promise(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`this should be so, and is not: ${what}`);
  console.log(`   \u001b[32m✓\u001b[0m ${what}`);
}

function promiseNoLoss({ requests, failures }: LoadReport, since: LoadReport): void {
  const lost = failures.length - since.failures.length;
  const first = failures.at(-1)?.reason ?? '';
  promise(
    lost === 0,
    `requests in this chapter: ${requests - since.requests}, lost: ${lost}${lost > 0 ? ` (${first})` : ''}`,
  );
}

/** What the client got in a while, by server. */
async function spread(load: Load, forMs: number): Promise<Record<string, number>> {
  const before = await load.report();
  await sleep(forMs);
  const after = await load.report();
  const counts = Object.entries(after.servers).map(
    ([name, count]) => [name, count - (before.servers[name] ?? 0)] as const,
  );
  return Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function bars(counts: Readonly<Record<string, number>>): string {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  return Object.entries(counts)
    .map(([name, count]) => `${name}  ${'█'.repeat(Math.round((40 * count) / Math.max(1, sum)))} ${count}`)
    .join('\n');
}

async function command(topology: Topology, ...args: string[]): Promise<number> {
  console.log(`   $ ipvsd ${args.join(' ')}`);
  const { code, stdout, stderr } = await ipvsd(topology.director, ...args, '-c', file);
  show(stdout + stderr);
  return code;
}

async function cold(topology: Topology): Promise<Daemon> {
  chapter('The file');
  write(3, 2, 1);
  show(readFileSync(file, 'utf8'));
  chapter('The plan: what would change in the kernel');
  promise((await command(topology, 'plan', '--exit-code')) === 2, 'the kernel is empty, so there is something to do');
  chapter('The daemon starts; each server enters after its first passed probe');
  const daemon = startDaemon(topology.director, file);
  await daemon.logged(/"ready"/, 60_000);
  await until('all three servers in the table', async () => (await table(topology)).includes('10.2.0.13:80 nat 1'));
  console.log('   $ ipvsadm -Sn   (an independent witness)');
  show(await topology.director.exec('ipvsadm', '-Sn'));
  return daemon;
}

async function table({ director }: Topology): Promise<string> {
  return (await readTableText(director)).join('\n');
}

async function weights(load: Load): Promise<void> {
  chapter('A client sends requests: they spread by weight 3 : 2 : 1');
  const counts = await spread(load, 3000);
  show(bars(counts));
  const { server1 = 0, server2 = 0, server3 = 1 } = counts;
  promise(Math.abs(server1 / server3 - 3) < 0.5 && Math.abs(server2 / server3 - 2) < 0.5, 'three to two to one');
}

async function death(topology: Topology, load: Load): Promise<void> {
  chapter('server1 dies');
  const [server] = topology.servers;
  const before = await load.report();
  const startMs = performance.now();
  await server?.kill();
  await until('server1 at weight 0', async () => (await table(topology)).includes('10.2.0.11:80 nat 0'), 10_000, 20);
  console.log(`   out of rotation after ${Math.round(performance.now() - startMs)} ms (interval 500 ms, fall 2)`);
  await sleep(300);
  const out = await load.report();
  console.log(
    `   requests lost until then: ${out.failures.length - before.failures.length} of ${out.requests - before.requests}`,
  );
  await sleep(1000);
  promise((await load.report()).failures.length === out.failures.length, 'none is lost any more');
  chapter('server1 returns');
  await server?.listen();
  await until('server1 back at weight 3', async () => (await table(topology)).includes('10.2.0.11:80 nat 3'));
  promise(((await spread(load, 1500))['server1'] ?? 0) > 0, 'it gets requests again');
}

async function reload(topology: Topology, daemon: Daemon, load: Load): Promise<void> {
  chapter('The file is edited, and reloaded: server3 gets the most now');
  const before = await load.report();
  write(1, 2, 6);
  await command(topology, 'plan');
  promise((await command(topology, 'reload')) === 0, 'applied');
  const counts = await spread(load, 2000);
  show(bars(counts));
  promise((counts['server3'] ?? 0) > 2 * (counts['server2'] ?? 0), 'the weights have shifted');
  promiseNoLoss(await load.report(), before);

  chapter('A broken file is refused, while traffic goes on');
  const steady = await load.report();
  writeFileSync(
    file,
    configurationOf([1, 2, 6]).replace('scheduler = "wrr"', 'sheduler = "wrr"').replace('rise = 2', 'rise = 0'),
  );
  promise((await command(topology, 'reload')) === 1, 'rejected, with every problem and its place');
  promise(daemon.process.exitCode === null, 'the daemon runs on, with the configuration it had');
  await sleep(1000);
  promiseNoLoss(await load.report(), steady);
  write(1, 2, 6);
}

async function crash(topology: Topology, daemon: Daemon, load: Load): Promise<Daemon> {
  chapter('The daemon is killed with -9, and started again');
  const before = await load.report();
  const tableBefore = await table(topology);
  await daemon.stop('SIGKILL');
  await sleep(1000);
  const next = startDaemon(topology.director, file);
  await next.logged(/"ready"/, 60_000);
  await sleep(1500);
  promise(!next.log.some((line) => 'kind' in line), 'it adopted the table: not one operation');
  promise((await table(topology)) === tableBefore, 'the table is what it was');
  promiseNoLoss(await load.report(), before);
  return next;
}

const teardowns: (() => unknown)[] = [];
try {
  const topology = await makeTopology({ teardown: (undo: () => unknown) => void teardowns.push(undo) }, { servers: 3 });
  await Promise.all(topology.servers.map((server) => server.listen()));
  const daemon = await cold(topology);
  const load = await startLoad(topology.client, { host: vip.v4, perSecond: 150 });
  await weights(load);
  await death(topology, load);
  await reload(topology, daemon, load);
  const next = await crash(topology, daemon, load);
  chapter('How it is');
  promise((await command(topology, 'status', '--exit-code')) === 0, 'all is well');
  const { requests, failures } = await load.stop();
  console.log(`\nrequests in all: ${requests}; lost: ${failures.length}, all of them while server1 was dying`);
  promise((await next.stop()) === 0, 'SIGTERM: the daemon ends with code 0, and leaves the table to the traffic');
} catch (error) {
  console.error(`\n\u001b[31mdemo failed:\u001b[0m ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  for (const undo of teardowns) await undo();
}
