import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls a condition until it holds (is truthy), and returns what it gave.
 * @param what the condition in words, for the error
 * @throws {Error} naming the condition, and what it gave last, when it does not hold in time
 */
export async function until<Result>(
  what: string,
  condition: () => Result | Promise<Result>,
  timeoutMs = 30_000,
  intervalMs = 50,
): Promise<Result> {
  const start = performance.now();
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (performance.now() - start > timeoutMs) {
      throw new Error(`not within ${timeoutMs} ms: ${what} (last: ${JSON.stringify(result)})`);
    }
    await sleep(intervalMs);
  }
}
