import type { ProbeKey } from './check.ts';

/** `up` and `down` are verdicts; `unknown` waits for the first passed probe and serves nobody. */
export type Verdict = 'up' | 'down' | 'unknown';

/** What is known of one probed endpoint. */
export interface EndpointHealth {
  readonly verdict: Verdict;
  /** Whether a probe of this very check has run; until then the verdict is adopted or carried over. */
  readonly probed: boolean;
  /** Results in a row that contradict the verdict. */
  readonly contradicting: number;
  /** Why the verdict is what it is, in words. */
  readonly reason: string;
  /** When the verdict last changed, milliseconds since the epoch. */
  readonly sinceMs: number;
  /** The last probe: when it ended (milliseconds since the epoch), how long it took, its result. */
  readonly last?: {
    readonly atMs: number;
    readonly durationMs: number;
    readonly passed: boolean;
    readonly reason: string;
  };
}

/** Health by what is probed. It outlives configurations. */
export type Health = ReadonlyMap<ProbeKey, EndpointHealth>;
