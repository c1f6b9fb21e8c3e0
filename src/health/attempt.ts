import type { ProbeContext } from '../model/check-type.ts';
import { formatDuration } from './format-duration.ts';
import { reasonOf } from './reason.ts';

/** The ways to end an attempt; the first one counts. */
export interface Attempt {
  readonly pass: (remark: string) => void;
  readonly fail: (error: unknown) => void;
  /** Names what is being waited for, such as `connection`, for the reason given at the deadline. */
  readonly waitFor: (what: string) => void;
}

/**
 * Runs one attempt under one deadline, and gives back what it holds when it ends in whatever way.
 * @param start - begins the attempt and returns the function that releases its sockets or processes
 * @returns the remark of `pass`
 * @throws {Error} with the reason in words
 */
export function attempt(context: ProbeContext, start: (attempt: Attempt) => () => void): Promise<string> {
  context.signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    let awaited = 'answer';
    let settled = false;
    let release: (() => void) | undefined;

    const settle = (outcome: () => void): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      context.signal.removeEventListener('abort', giveUp);
      release?.();
      outcome();
    };
    const fail = (error: unknown): void => {
      settle(() => {
        reject(new Error(reasonOf(error), { cause: error }));
      });
    };
    const giveUp = (): void => {
      fail('given up');
    };
    const expire = (): void => {
      fail(`no ${awaited} within ${formatDuration(context.timeoutMs)}`);
    };
    // After a stall of the event loop timers run before input: an answer that has already arrived is let through first.
    const timer = setTimeout(() => setImmediate(expire), context.timeoutMs);
    context.signal.addEventListener('abort', giveUp);

    try {
      release = start({
        pass: (remark) => {
          settle(() => {
            resolve(remark);
          });
        },
        fail,
        waitFor: (what) => {
          awaited = what;
        },
      });
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- `start` may have settled at once
      if (settled) release();
    } catch (error) {
      fail(error);
    }
  });
}
