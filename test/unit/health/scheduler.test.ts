import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { checkTypes } from '../../../src/health/check-types.ts';
import { runProbe } from '../../../src/health/run-probe.ts';
import { Scheduler, type Transition } from '../../../src/health/scheduler.ts';
import type { CheckType } from '../../../src/model/check-type.ts';
import { type Check, type Probe, probeOf } from '../../../src/model/check.ts';
import type { EndpointHealth, Verdict } from '../../../src/model/health.ts';
import { serve } from '../../support/serve.ts';
import { until } from '../../support/until.ts';

/** One run of the fake check. */
interface Run {
  readonly port: number;
  readonly atMs: number;
  readonly signal: AbortSignal;
  readonly pass: () => void;
  readonly fail: (reason: string) => void;
}

/** A scheduler with a fake check that keeps its runs, and answers each by `answer` (which may leave it open). */
function start(t: Pick<Test, 'teardown'>, answer: (run: Run) => void, maxInFlight = 100) {
  const runs: Run[] = [];
  const transitions: Transition[] = [];
  const fake: CheckType = {
    name: 'fake',
    options: z.strictObject({}),
    probe: ({ port }, _options, { signal }) =>
      new Promise<string>((resolve, reject) => {
        const run: Run = {
          port,
          atMs: performance.now(),
          signal,
          pass: () => {
            resolve('fine');
          },
          fail: (reason) => {
            reject(new Error(reason));
          },
        };
        runs.push(run);
        answer(run);
      }),
  };
  const scheduler = new Scheduler({
    checkTypes: new Map([['fake', fake]]),
    onChange: (transition) => transitions.push(transition),
    now: () => 1_000_000,
    maxInFlight,
  });
  t.teardown(() => {
    scheduler.stop();
  });
  return { scheduler, runs, transitions };
}

const fakeCheck: Check = {
  type: 'fake',
  options: {},
  intervalMs: 60_000,
  intervalDownMs: 60_000,
  timeoutMs: 30_000,
  rise: 2,
  fall: 3,
};
const fakeProbe = (port: number, check: Partial<Check> = {}): Probe =>
  probeOf({ ...fakeCheck, ...check }, { address: '192.0.2.1', port });
const seed = (verdict: Verdict) => (): EndpointHealth => ({
  verdict,
  probed: false,
  contradicting: 0,
  reason: 'seeded',
  sinceMs: 0,
});
const pass = (run: Run): void => {
  run.pass();
};
const fail = (run: Run): void => {
  run.fail('broken');
};
const leaveOpen = (): void => undefined;

t.test('a new endpoint is probed at once, and its change is told once', async (t) => {
  const { scheduler, transitions, runs } = start(t, pass);
  const probe = fakeProbe(1, { intervalMs: 40 });
  scheduler.reconcile([probe], seed('unknown'));
  await sleep(15);
  t.equal(runs.length, 1);
  await until(() => runs.length > 3);
  t.equal(transitions.length, 1);
  t.match(transitions[0], { probe, before: { verdict: 'unknown' }, after: { verdict: 'up', reason: 'fine' } });
  t.match(scheduler.health.get(probe.key), { verdict: 'up', sinceMs: 1_000_000, last: { atMs: 1_000_000 } });
});

t.test('an endpoint that fails is told about when it goes down, with the reason', async (t) => {
  const { scheduler, transitions, runs } = start(t, fail);
  scheduler.reconcile([fakeProbe(1, { intervalMs: 30, intervalDownMs: 60_000 })], seed('up'));
  await until(() => transitions.length > 0);
  await sleep(50);
  t.equal(runs.length, 3);
  t.match(transitions, [{ before: { verdict: 'up' }, after: { verdict: 'down', reason: 'broken' } }]);
});

t.test('reconcile() leaves a probe in flight and its counters alone', async (t) => {
  const { scheduler, runs } = start(t, leaveOpen);
  const probe = fakeProbe(1);
  scheduler.reconcile([probe], seed('up'));
  await sleep(15);
  const before = scheduler.health.get(probe.key);
  for (let reload = 0; reload < 10; reload += 1) scheduler.reconcile([fakeProbe(1), fakeProbe(2)], seed('down'));
  await sleep(15);
  t.equal(scheduler.health.get(probe.key), before);
  t.strictSame(
    runs.map(({ port, signal }) => [port, signal.aborted]),
    [
      [1, false],
      [2, false],
    ],
  );
  runs[0]?.fail('broken');
  await sleep(5);
  t.match(scheduler.health.get(probe.key), { verdict: 'up', contradicting: 1, probed: true });
});

t.test('reconcile() gives up and forgets what has gone, and seeds while it is still known', async (t) => {
  const { scheduler, runs, transitions } = start(t, leaveOpen);
  const [old, edited] = [fakeProbe(1), fakeProbe(1, { fall: 5 })];
  scheduler.reconcile([old], seed('up'));
  await sleep(15);
  scheduler.reconcile([edited], () => ({ ...(scheduler.health.get(old.key) as EndpointHealth), reason: 'carried' }));
  t.ok(runs[0]?.signal.aborted);
  t.strictSame([...scheduler.health.keys()], [edited.key]);
  t.match(scheduler.health.get(edited.key), { verdict: 'up', reason: 'carried' });
  runs[0]?.fail('broken');
  await sleep(15);
  t.equal(scheduler.health.get(edited.key)?.contradicting, 0);
  t.equal(transitions.length, 0);
  t.equal(runs.length, 2);
});

t.test('an endpoint that went and came back is a new one', async (t) => {
  const { scheduler, runs } = start(t, leaveOpen);
  const probe = fakeProbe(1);
  scheduler.reconcile([probe], seed('up'));
  await sleep(15);
  scheduler.reconcile([], seed('up'));
  scheduler.reconcile([probe], seed('unknown'));
  await sleep(15);
  t.equal(runs.length, 2);
  runs[0]?.pass();
  await sleep(5);
  t.equal(scheduler.health.get(probe.key)?.verdict, 'unknown');
});

t.test('first probes are spread, and there are never more in flight than the limit', async (t) => {
  const { scheduler, runs } = start(t, leaveOpen, 10);
  const probes = Array.from({ length: 200 }, (_, index) => fakeProbe(index + 1));
  const startedMs = performance.now();
  scheduler.reconcile(probes, seed('unknown'));
  let answered = 0;
  while (answered < 200 && performance.now() - startedMs < 5000) {
    await sleep(2);
    t.ok(runs.length - answered <= 10);
    const run = runs[answered];
    if (run === undefined) continue;
    run.pass();
    answered += 1;
  }
  t.equal(answered, 200);
  t.ok((runs.at(-1)?.atMs ?? 0) - startedMs > 150);
});

t.test('an endpoint has one probe in flight, even when probes take longer than the interval', async (t) => {
  const { scheduler, runs } = start(t, leaveOpen);
  scheduler.reconcile([fakeProbe(1, { intervalMs: 20 })], seed('up'));
  await sleep(100);
  t.equal(runs.length, 1);
  runs[0]?.pass();
  await until(() => runs.length > 1);
  t.equal(runs.length, 2);
});

t.test('a check that never ends is a failed probe, and is told to give up', async (t) => {
  const { scheduler, runs } = start(t, leaveOpen);
  const probe = fakeProbe(1, { timeoutMs: 20 });
  scheduler.reconcile([probe], seed('unknown'));
  await until(() => scheduler.health.get(probe.key)?.verdict === 'down');
  t.match(scheduler.health.get(probe.key), { verdict: 'down', reason: 'no result within 20 ms' });
  t.ok(runs[0]?.signal.aborted);
});

t.test('a check that throws, or does not exist, is a failed probe', async (t) => {
  const { scheduler } = start(t, () => {
    throw new TypeError('x is not a function');
  });
  const [throwing, unknown] = [fakeProbe(1), fakeProbe(2, { type: 'magic' })];
  scheduler.reconcile([throwing, unknown], seed('unknown'));
  await sleep(20);
  t.match(scheduler.health.get(throwing.key), { verdict: 'down', reason: 'x is not a function' });
  t.match(scheduler.health.get(unknown.key), { verdict: 'down', reason: 'unknown type of check: magic' });
});

t.test('an answer that came while the event loop was stalled counts, late as it is', async (t) => {
  const port = await serve(t, createServer());
  const probe = probeOf({ ...fakeCheck, type: 'tcp', timeoutMs: 50 }, { address: '127.0.0.1', port });
  const result = await new Promise((resolve) => {
    // After this phase of the event loop come the timers, and input only after them.
    setImmediate(() => {
      resolve(runProbe(checkTypes, probe, new AbortController()));
      process.nextTick(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
      });
    });
  });
  t.match(result, { passed: true, reason: 'connected' });
});

t.test('stop() gives up what is in flight, and starts nothing more', async (t) => {
  const { scheduler, runs, transitions } = start(t, leaveOpen, 1);
  scheduler.reconcile([fakeProbe(1), fakeProbe(2)], seed('unknown'));
  await sleep(15);
  scheduler.stop();
  t.ok(runs[0]?.signal.aborted);
  runs[0]?.pass();
  await sleep(15);
  t.equal(runs.length, 1);
  t.equal(transitions.length, 0);
  t.equal(scheduler.health.size, 2);
});

t.test('with 256 file descriptors, 2000 checks all run and none fails for want of one', async (t) => {
  const port = await serve(t, createServer(), '0.0.0.0');
  const program = join(import.meta.dirname, '../../support/probe-many.js');
  const command = `ulimit -n 256; exec "${process.execPath}" "${program}" ${port} 2000`;
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command]);
  t.equal(stdout, '2000 up\n');
});
