/** Probes of one interval start in steps of at most this: endpoints that share a step share one wake-up. */
const largestStepMs = 100;
const smallestStepMs = 10;
const stepsPerInterval = 20;

/** A fraction in [0, 1) that is always the same for a key (32-bit FNV-1a), so that phases survive restarts. */
export function fractionOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/**
 * How long after its arrival a new endpoint is first probed, in milliseconds: one at once, many spread at one a
 * millisecond, and all of them within a second or the interval, whichever is less.
 * @param arrivals - how many endpoints are new at the same time
 */
export function firstDelayMs(fraction: number, arrivals: number, intervalMs: number): number {
  return Math.floor(fraction * Math.min(arrivals - 1, intervalMs, 1000));
}

/**
 * When to probe next: once an interval, at the endpoint's own phase of it, so that nothing drifts and load stays even.
 * The next probe is between a half and one and a half intervals away when the last one was out of phase.
 */
export function nextDueMs(fraction: number, startedMs: number, intervalMs: number): number {
  const stepMs = Math.min(Math.max(intervalMs / stepsPerInterval, smallestStepMs), largestStepMs);
  const steps = Math.max(Math.floor(intervalMs / stepMs), 1);
  const phaseMs = (Math.floor(fraction * steps) * intervalMs) / steps;
  const earliestMs = startedMs + intervalMs / 2;
  return phaseMs + Math.ceil((earliestMs - phaseMs) / intervalMs) * intervalMs;
}
