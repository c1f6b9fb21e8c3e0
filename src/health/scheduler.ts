import { readFileSync } from 'node:fs';
import type { CheckType } from '../model/check-type.ts';
import type { Probe, ProbeKey, ProbeResult } from '../model/check.ts';
import type { EndpointHealth, Health } from '../model/health.ts';
import { DueQueue } from './due-queue.ts';
import { firstDelayMs, fractionOf, nextDueMs } from './phase.ts';
import { probeLimit } from './probe-limit.ts';
import { runProbe } from './run-probe.ts';
import { track } from './track.ts';

/** A change of a verdict. */
export interface Transition {
  readonly probe: Probe;
  readonly before: EndpointHealth;
  readonly after: EndpointHealth;
}

/** What a scheduler needs. */
export interface SchedulerOptions {
  readonly checkTypes: ReadonlyMap<string, CheckType>;
  /** Told once about each change of a verdict, and of nothing else. */
  readonly onChange: (transition: Transition) => void;
  /** The time of day, milliseconds since the epoch; intervals do not depend on it. */
  readonly now?: () => number;
  /** Probes in flight at most; others wait their turn. By default as many as the file descriptors allow. */
  readonly maxInFlight?: number;
}

interface Entry {
  readonly probe: Probe;
  readonly fraction: number;
  /** Present while a probe is in flight. */
  abort?: AbortController;
}

/** Probes started before the event loop gets its turn. Much of their work comes after the start, so time tells little. */
const sliceLength = 8;
/** Node's timers cannot sleep longer than 2^31 ms. */
const longestSleepMs = 3_600_000;

/** Runs every probe at its interval and keeps what is known of each endpoint. Owns the timer and the probes in flight. */
export class Scheduler {
  readonly #checkTypes: ReadonlyMap<string, CheckType>;
  readonly #onChange: (transition: Transition) => void;
  readonly #now: () => number;
  readonly #maxInFlight: number;
  readonly #entries = new Map<ProbeKey, Entry>();
  readonly #health = new Map<ProbeKey, EndpointHealth>();
  #due = new DueQueue<Entry>();
  /** Due, and waiting for their turn. */
  readonly #waiting = new Set<Entry>();
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Infinity;
  #pumping: NodeJS.Immediate | undefined;

  constructor({ checkTypes, onChange, now = Date.now, maxInFlight = defaultLimit() }: SchedulerOptions) {
    this.#checkTypes = checkTypes;
    this.#onChange = onChange;
    this.#now = now;
    this.#maxInFlight = maxInFlight;
  }

  /** What is known of every endpoint; `last` tells when it was probed. A live view, which changes as results come in. */
  get health(): Health {
    return this.#health;
  }

  /**
   * Makes these the endpoints that are probed. One that is known is left alone: same counters, same phase, same probe in flight.
   * @param seed - what to think of a new one until it is probed; called while those that go are still in `health`
   */
  reconcile(probes: Iterable<Probe>, seed: (probe: Probe) => EndpointHealth): void {
    const wanted = new Map(Array.from(probes, (probe) => [probe.key, probe]));
    const arrivals = [...wanted.values()].filter(({ key }) => !this.#entries.has(key));
    const seeds = arrivals.map(seed);
    const gone = [...this.#entries.values()].filter(({ probe }) => !wanted.has(probe.key));
    for (const entry of gone) this.#drop(entry);
    arrivals.forEach((probe, index) => {
      const entry = { probe, fraction: fractionOf(probe.key) };
      this.#entries.set(probe.key, entry);
      this.#health.set(probe.key, seeds[index] as EndpointHealth);
      const delayMs = firstDelayMs(entry.fraction, arrivals.length, probe.check.intervalMs);
      this.#due.push(performance.now() + delayMs, entry);
    });
    this.#arm();
  }

  /** Stops probing for good: probes in flight are given up and their results do not count. Health stays readable. */
  stop(): void {
    for (const entry of this.#entries.values()) entry.abort?.abort();
    this.#entries.clear();
    this.#waiting.clear();
    this.#due = new DueQueue();
    clearTimeout(this.#timer);
    clearImmediate(this.#pumping);
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.probe.key);
    this.#health.delete(entry.probe.key);
    this.#waiting.delete(entry);
    entry.abort?.abort();
  }

  /** Sets the one timer to when the next endpoint is due. */
  #arm(): void {
    const nextMs = this.#due.nextMs;
    if (nextMs >= this.#timerMs || nextMs === Infinity) return;
    clearTimeout(this.#timer);
    this.#timerMs = nextMs;
    this.#timer = setTimeout(
      () => {
        this.#timerMs = Infinity;
        this.#wake();
      },
      Math.min(Math.max(nextMs - performance.now(), 0), longestSleepMs),
    );
  }

  #wake(): void {
    // A timer may fire up to a millisecond early.
    const nowMs = performance.now() + 1;
    for (let entry = this.#due.take(nowMs); entry !== undefined; entry = this.#due.take(nowMs)) {
      if (this.#isCurrent(entry)) this.#waiting.add(entry);
    }
    this.#arm();
    this.#pump();
  }

  /** Starts what is waiting, in order, in slices, as far as the limit allows. */
  #pump(): void {
    let started = 0;
    for (const entry of this.#waiting) {
      if (this.#inFlight >= this.#maxInFlight) return;
      if (started === sliceLength) {
        this.#pumpSoon();
        return;
      }
      started += 1;
      this.#waiting.delete(entry);
      void this.#run(entry);
    }
  }

  #pumpSoon(): void {
    this.#pumping ??= setImmediate(() => {
      this.#pumping = undefined;
      this.#pump();
    });
  }

  async #run(entry: Entry): Promise<void> {
    const startedMs = performance.now();
    entry.abort = new AbortController();
    this.#inFlight += 1;
    const result = await runProbe(this.#checkTypes, entry.probe, entry.abort);
    this.#inFlight -= 1;
    delete entry.abort;
    if (this.#isCurrent(entry)) this.#conclude(entry, result, startedMs);
    if (this.#waiting.size > 0) this.#pumpSoon();
  }

  #conclude(entry: Entry, result: ProbeResult, startedMs: number): void {
    const { probe, fraction } = entry;
    const { check, key } = probe;
    const before = this.#health.get(key) as EndpointHealth;
    const after = track(before, result, check, this.#now());
    this.#health.set(key, after);
    const intervalMs = after.verdict === 'up' ? check.intervalMs : check.intervalDownMs;
    this.#due.push(nextDueMs(fraction, startedMs, intervalMs), entry);
    this.#arm();
    if (after.verdict !== before.verdict) this.#onChange({ probe, before, after });
  }

  /** Whether an entry is still wanted, and is not the predecessor of one that went and came back. */
  #isCurrent(entry: Entry): boolean {
    return this.#entries.get(entry.probe.key) === entry;
  }
}

function defaultLimit(): number {
  return probeLimit(readFileSync('/proc/self/limits', 'utf8'));
}
