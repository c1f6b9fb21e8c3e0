import type { CheckTiming, ProbeResult } from '../model/check.ts';
import type { EndpointHealth } from '../model/health.ts';

/**
 * An endpoint's health after one more probe: `fall` failures in a row take it out, `rise` passes in a row bring it back.
 * A new endpoint, and one whose verdict was adopted or carried over, comes up at its first passed probe.
 * @param nowMs - when the probe ended, milliseconds since the epoch
 */
export function track(
  before: EndpointHealth,
  result: ProbeResult,
  check: Pick<CheckTiming, 'rise' | 'fall'>,
  nowMs: number,
): EndpointHealth {
  const verdict = result.passed ? 'up' : 'down';
  const contradicting = verdict === before.verdict ? 0 : before.contradicting + 1;
  const decided = contradicting === 0 || contradicting >= needed(before, check);
  return {
    verdict: decided ? verdict : before.verdict,
    probed: true,
    contradicting: decided ? 0 : contradicting,
    reason: decided ? result.reason : before.reason,
    sinceMs: decided && verdict !== before.verdict ? nowMs : before.sinceMs,
    last: { atMs: nowMs, durationMs: result.durationMs, passed: result.passed, reason: result.reason },
  };
}

/** How many contradicting results in a row change the verdict. */
function needed(before: EndpointHealth, check: Pick<CheckTiming, 'rise' | 'fall'>): number {
  if (before.verdict === 'up') return check.fall;
  return before.probed ? check.rise : 1;
}
