/**
 * `node stages.js FILE [memory] [count]`: one start of the daemon, stage by stage, in its own modules and without checks.
 * Prints the stages as JSON. With "count", strace counts every system call of the process while the plan is applied.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { ConfigLoader } from '../src/config/config-loader.ts';
import { inSlices } from '../src/daemon/in-slices.ts';
import { checkTypes } from '../src/health/check-types.ts';
import { openLinuxKernel } from '../src/kernel/linux-kernel.ts';
import { memoryKernel } from '../src/kernel/memory-kernel.ts';
import type { Plan } from '../src/model/operation.ts';
import type { LiveState } from '../src/model/state.ts';
import { NETLINK_GENERIC } from '../src/netlink/protocol.ts';
import { openNetlinkSocket } from '../src/netlink/socket-transport.ts';
import type { Transport } from '../src/netlink/transport.ts';
import { desiredInSteps } from '../src/plan/desired.ts';
import { diffInSteps } from '../src/plan/diff.ts';

/** A stage: how long it took, its netlink system calls, and the longest block of the event loop meanwhile. */
export interface Stage {
  readonly seconds: number;
  readonly calls: number;
  readonly blockMs: number;
}

/** What this program prints. */
export interface Stages {
  readonly stages: Readonly<Record<string, Stage>>;
  /** Of all kinds, by strace, while the plan was applied. */
  readonly systemCalls?: number;
  readonly rssMb: number;
}

let calls = 0;
const stages: Record<string, Stage> = {};
const delay = monitorEventLoopDelay({ resolution: 1 });
if (!process.argv.includes('count')) delay.enable(); // it makes system calls of its own

const [file = '', ...words] = process.argv.slice(2);
const loader = new ConfigLoader(file, checkTypes);
const kernel = words.includes('memory') ? memoryKernel() : await openLinuxKernel({ openTransport });
const { config } = await stage('load', () => loader.load());
await stage('reload, nothing changed', () => loader.load());
const empty = await stage('read, empty', () => kernel.snapshot());
const plan = await stage('decide, all is new', () => decide(empty));
const systemCalls = words.includes('count') ? await count(applyAll) : undefined;
if (systemCalls === undefined) await applyAll();
const live = await stage('read back', () => kernel.snapshot());
for (const again of [2, 3]) await stage(`read back, ${again}`, () => kernel.snapshot());
const rest = await stage('decide, nothing changed', () => decide(live));
if (rest.length > 0) throw new Error(`${rest.length} operations are left to do`);
kernel.close();
await loader.close();
const rssMb = process.memoryUsage.rss() / 1e6;
console.log(JSON.stringify({ stages, rssMb, ...(systemCalls === undefined ? {} : { systemCalls }) } satisfies Stages));

async function decide(live: LiveState): Promise<Plan> {
  const situation = { config, health: new Map(), live, owned: new Map(), nowMs: Date.now() };
  const { state } = await inSlices(desiredInSteps(situation));
  return inSlices(diffInSteps(live, state));
}

async function applyAll(): Promise<void> {
  const failures = await stage('apply', () => kernel.apply(plan));
  if (failures[0] !== undefined) throw new Error(failures[0].message);
}

async function stage<T>(name: string, work: () => Promise<T>): Promise<T> {
  delay.reset();
  await setTimeout(5); // the first turn after a reset is not measured
  const [callsBefore, start] = [calls, performance.now()];
  const result = await work();
  const seconds = (performance.now() - start) / 1000;
  await setTimeout(5);
  stages[name] = { seconds, calls: calls - callsBefore, blockMs: delay.max / 1e6 };
  return result;
}

/** The netlink socket, with its system calls counted. */
function openTransport(): Transport {
  const transport = openNetlinkSocket(NETLINK_GENERIC);
  return {
    ...transport,
    send: (datagram) => (calls++, transport.send(datagram)),
    sendNow: (datagram) => {
      calls++;
      transport.sendNow(datagram);
    },
    receive: () => (calls++, transport.receive()),
    wait: (timeoutMs) => (calls++, transport.wait(timeoutMs)),
  };
}

/** Counts the system calls of all threads of this process during some work. */
async function count(work: () => Promise<unknown>): Promise<number> {
  const strace = spawn('strace', ['-c', '-f', '-p', String(process.pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  strace.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  while (!text.includes('attached')) await once(strace.stderr, 'data');
  await work();
  strace.kill('SIGINT');
  await once(strace, 'close');
  return Number(/(\d+)\s+(?:\d+\s+)?total/.exec(text)?.[1] ?? NaN);
}
