import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../plan/steps.ts';

/** Takes the steps of a computation, and lets the event loop have a turn whenever a slice of time is over. */
export async function inSlices<Result>(steps: Steps<Result>, sliceMs = 8): Promise<Result> {
  for (;;) {
    const endMs = performance.now() + sliceMs;
    // Reading the clock may cost as much as a step, so twice as many steps are taken each time, up to 16.
    for (let count = 1; performance.now() < endMs; count = Math.min(2 * count, 16)) {
      for (let taken = 0; taken < count; taken++) {
        const step = steps.next();
        if (step.done === true) return step.value;
      }
    }
    await setImmediate();
  }
}
