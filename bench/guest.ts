/**
 * `node guest.js LIMIT RUNS SIZE…`, such as `guest.js dist/bench/limit 3 1000x10 10000x10`: measures where the kernel has
 * IPVS, and prints one figure a line, as JSON. Every cold table gets a network namespace of its own, because deleted
 * destinations stay for two minutes in a list that every later add walks.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Figure } from './figure.ts';
import type { Stages } from './stages.ts';
import { type Layout, type Size, keepalivedConfiguration, middle, rowsOf, writeConfiguration } from './table.ts';

const [limitProgram = '', runs = '3', ...sizes] = process.argv.slice(2);
const here = import.meta.dirname;
const directory = '/run/bench';
let namespaces = 0;
let current = '';
let children: ChildProcess[] = [];
/** As systemd/ipvsd.service has it. */
const nodeOptions = '--max-semi-space-size=4';
const layouts: readonly Layout[] = ['one-file', 'conf.d'];

for (const name of sizes) {
  const [services = 0, servers = 0] = name.split('x').map(Number);
  const size = { services, servers };
  for (let run = 0; run < Number(runs); run++) {
    await inNamespace(() => {
      limits(size);
    });
    await inNamespace(() => stages(size, []));
  }
  await inNamespace(() => stages(size, ['count']));
  for (const layout of layouts) await inNamespace(() => ipvsd(size, layout, false));
  for (const layout of layouts) await inNamespace(() => blocks(size, layout));
  await inNamespace(() => keepalived(size, false));
  if (services > 1000) continue;
  await inNamespace(() => ipvsd(size, 'one-file', true));
  await inNamespace(() => keepalived(size, true));
}

function figure(size: Size, name: string, value: number): void {
  const line: Figure = { size: `${size.services}x${size.servers}`, name, value };
  console.log(JSON.stringify(line));
}

/** Runs some work in a fresh network namespace, and waits until the kernel has cleaned up after it. */
async function inNamespace(work: () => Promise<void> | void): Promise<void> {
  current = `bench${++namespaces}`;
  execFileSync('ip', ['netns', 'add', current]);
  mkdirSync(directory, { recursive: true });
  try {
    inside('ip', 'link', 'set', 'lo', 'up');
    await work();
  } catch (error) {
    console.error(`bench: ${(error as Error).message}`);
    process.exitCode = 1;
  }
  for (const child of children) child.kill('SIGKILL');
  children = [];
  await setTimeout(200);
  execFileSync('ip', ['netns', 'del', current]);
  rmSync(directory, { recursive: true });
  while (Number(readFileSync('/sys/module/ip_vs_wrr/refcnt', 'utf8')) > 0) await setTimeout(100);
}

function inside(...argv: readonly string[]): string {
  return execFileSync('ip', ['netns', 'exec', current, ...argv], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
  });
}

function start(log: string, environment: NodeJS.ProcessEnv, ...argv: readonly string[]): ChildProcess {
  const file = openSync(log, 'w');
  const child = spawn('ip', ['netns', 'exec', current, ...argv], {
    stdio: ['ignore', file, file],
    env: { ...process.env, ...environment },
  });
  children.push(child);
  return child;
}

interface LimitAnswer {
  readonly seconds: number;
  readonly calls: number;
  readonly services: number;
  readonly servers: number;
}

function limit(...words: readonly (string | number)[]): LimitAnswer {
  return JSON.parse(inside(limitProgram, ...words.map(String))) as LimitAnswer;
}

/** The floor: the same requests from C. */
function limits(size: Size): void {
  const apply = limit('apply', size.services, size.servers);
  figure(size, 'limit: apply, s', apply.seconds);
  figure(size, 'limit: apply, system calls a row', apply.calls / rowsOf(size));
  for (let i = 0; i < 3; i++) figure(size, 'limit: read back, s', limit('dump').seconds);
}

/** A start of ours, stage by stage. */
async function stages(size: Size, words: readonly string[]): Promise<void> {
  const file = await configure(size, 'one-file', false, 1);
  const { stages, systemCalls, rssMb } = JSON.parse(inside('node', join(here, 'stages.js'), file, ...words)) as Stages;
  if (systemCalls !== undefined) {
    figure(size, 'ipvsd: apply, all system calls a row', systemCalls / rowsOf(size));
    return;
  }
  for (const [name, { seconds, blockMs, calls }] of Object.entries(stages)) {
    const short = name.replace(/, \d$/, '');
    figure(size, `ipvsd: ${short}, s`, seconds);
    figure(size, `ipvsd: ${short}, longest block, ms`, blockMs);
    if (calls > 0) figure(size, `ipvsd: ${short}, netlink calls a row`, calls / rowsOf(size));
  }
  figure(size, 'ipvsd: stages, RSS, MB', rssMb);
}

function configure(size: Size, layout: Layout, checked: boolean, weight: number): Promise<string> {
  return writeConfiguration(join(directory, layout), size, {
    layout,
    checked,
    weight,
    onStop: 'remove',
    run: directory,
  });
}

/** The daemon from its start to its end. */
async function ipvsd(size: Size, layout: Layout, checked: boolean): Promise<void> {
  const title = `ipvsd${checked ? ' with checks' : ''}, ${layout}`;
  const file = await configure(size, layout, checked, 1);
  if (checked) await serveAll();
  const daemon = await startDaemon(size, file, { NODE_OPTIONS: nodeOptions }, title);
  if (checked) await untilFull(size);
  memory(size, `${title}: started`, daemon.pid);
  reloads(size, title, [daemon.pid ?? 0]);
  await configure(size, layout, checked, 7);
  changeWeight(size, title, daemon.pid);
  await logged(/reload applied/, 3);
  memory(size, `${title}: after reloads`, daemon.pid);
  await stop(size, title, daemon);
}

/** The longest blocks of the daemon's event loop. */
async function blocks(size: Size, layout: Layout): Promise<void> {
  const title = `ipvsd, ${layout}`;
  const file = await configure(size, layout, false, 1);
  const environment = {
    NODE_OPTIONS: `${nodeOptions} --import=${join(here, 'loop-delay.js')}`,
    LOOP_DELAY: join(directory, 'delay'),
  };
  const daemon = await startDaemon(size, file, environment);
  figure(size, `${title}: start, longest block, ms`, await longestBlock(daemon));
  daemon.kill('SIGHUP');
  await logged(/reload applied/, 1);
  figure(size, `${title}: reload, nothing changed, longest block, ms`, await longestBlock(daemon));
}

async function longestBlock(daemon: ChildProcess): Promise<number> {
  rmSync(join(directory, 'delay'), { force: true });
  daemon.kill('SIGUSR2');
  for (;;) {
    await setTimeout(100);
    try {
      return Number(readFileSync(join(directory, 'delay'), 'utf8'));
    } catch {
      // Not written yet.
    }
  }
}

async function startDaemon(
  size: Size,
  file: string,
  environment: NodeJS.ProcessEnv,
  title?: string,
): Promise<ChildProcess> {
  const startMs = performance.now();
  const daemon = start(
    join(directory, 'log'),
    environment,
    'node',
    join(here, '../src/cli/main.js'),
    'run',
    '-c',
    file,
  );
  await logged(/"ready"|ready/, 1);
  if (title !== undefined) figure(size, `${title}: whole start, s`, (performance.now() - startMs) / 1000);
  return daemon;
}

/** Waits until the daemon's log has so many lines that match. */
async function logged(pattern: RegExp, count: number): Promise<void> {
  for (;;) {
    const lines = readFileSync(join(directory, 'log'), 'utf8').split('\n');
    if (lines.filter((line) => pattern.test(line)).length >= count) return;
    if (children.some((child) => child.exitCode !== null))
      throw new Error(`ended early: ${lines.slice(0, 5).join(' | ')}`);
    await setTimeout(50);
  }
}

/** The peer, from its start to its end. */
async function keepalived(size: Size, checked: boolean): Promise<void> {
  const title = `keepalived${checked ? ' with checks' : ''}`;
  const file = join(directory, 'keepalived.conf');
  writeFileSync(file, keepalivedConfiguration(size, { checked, weight: 1 }));
  if (checked) await serveAll();
  const startMs = performance.now();
  const pidFiles = ['-p', join(directory, 'pid'), '-c', join(directory, 'checker.pid')];
  const parent = start(join(directory, 'log'), {}, 'keepalived', '-n', '-l', '-G', '-C', '-f', file, ...pidFiles);
  await untilFull(size);
  figure(size, `${title}: whole start, s`, (performance.now() - startMs) / 1000);
  const checker = Number(readFileSync(join(directory, 'checker.pid'), 'utf8'));
  await setTimeout(3000);
  memory(size, `${title}: started`, checker);
  reloads(size, title, [parent.pid ?? 0, checker]);
  writeFileSync(file, keepalivedConfiguration(size, { checked, weight: 7 }));
  changeWeight(size, title, parent.pid);
  await setTimeout(3000);
  memory(size, `${title}: after reloads`, checker);
  await stop(size, title, parent);
}

/** Answers on port 80 of every server. */
async function serveAll(): Promise<void> {
  inside('ip', 'route', 'add', 'local', '10.128.0.0/9', 'dev', 'lo');
  start('/dev/null', {}, limitProgram, 'listen', '80');
  await setTimeout(100);
}

async function untilFull({ services, servers }: Size): Promise<void> {
  for (;;) {
    const now = limit('dump');
    if (now.services === services && now.servers === services * servers) return;
    await setTimeout(300);
  }
}

function reloads(size: Size, title: string, pids: readonly number[]): void {
  for (let i = 0; i < 2; i++) {
    const { seconds } = limit('settle', ...pids);
    figure(size, `${title}: reload, nothing changed, s`, seconds);
  }
}

function changeWeight(size: Size, title: string, pid: number | undefined): void {
  const { seconds } = limit('weight', pid ?? 0, ...middle(size), size.servers);
  figure(size, `${title}: reload, one weight, s`, seconds);
}

function memory(size: Size, title: string, pid: number | undefined): void {
  const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8');
  const megabytes = (field: string): number =>
    (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6;
  figure(size, `${title}, RSS, MB`, megabytes('VmRSS'));
  figure(size, `${title}, highest RSS, MB`, megabytes('VmHWM'));
}

async function stop(size: Size, title: string, process: ChildProcess): Promise<void> {
  const startMs = performance.now();
  process.kill('SIGTERM');
  await once(process, 'exit');
  figure(size, `${title}: SIGTERM to exit, s`, (performance.now() - startMs) / 1000);
  const { services, servers } = limit('dump');
  figure(size, `${title}: left behind, rows`, services + servers);
}
