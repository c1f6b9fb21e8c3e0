import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../plan/steps.ts';

/** Takes the steps of a computation, and lets the event loop have a turn whenever a slice of time is over. */
export async function inSlices<Result>(steps: Steps<Result>, sliceMs = 8): Promise<Result> {
  let endMs = performance.now() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < endMs) continue;
    await setImmediate();
    endMs = performance.now() + sliceMs;
  }
}
