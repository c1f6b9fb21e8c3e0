import type { Verdict } from '../model/health.ts';

/** What decides the weight of a server. Everything is given anew each round, so nothing accumulates. */
export interface WeightFactors {
  /** The weight in the file. */
  readonly configured: number;
  /** False when the file takes the server out of service. */
  readonly enabled: boolean;
  /** The verdict of its check; `up` when it has none. */
  readonly verdict: Verdict;
}

/** The weight that a server should have in the kernel now, 0..2147483647. The one place where weights are decided. */
export function effectiveWeight({ configured, enabled, verdict }: WeightFactors): number {
  return enabled && verdict === 'up' ? configured : 0;
}
