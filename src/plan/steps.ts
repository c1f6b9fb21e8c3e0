/** A computation in steps: whoever drives it may let others have a turn between any two of them. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Takes all the steps at once. */
export function toTheEnd<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
