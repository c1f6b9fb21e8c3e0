import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until something holds, ten seconds at most.
 * @returns whether it does
 */
export async function until(holds: () => boolean): Promise<boolean> {
  const endMs = performance.now() + 10_000;
  while (!holds() && performance.now() < endMs) await sleep(5);
  return holds();
}
