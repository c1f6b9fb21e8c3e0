import type { ZodObject } from 'zod';
import type { Target } from './check.ts';

/** How one probe is run: its deadline, and a signal that gives it up early because the daemon stops or the check has gone. */
export interface ProbeContext {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * A type of check: the keys it adds to a check block, and how to run one probe. One file each in src/health/checks/.
 * @typeParam Options - what its schema yields
 */
export interface CheckType<Options = never> {
  /** The value of the key `type`. */
  readonly name: string;
  /** Its own keys, strict, with defaults and descriptions; the keys of CheckTiming are added by the loader. */
  readonly options: ZodObject;
  /**
   * Runs one probe. Settles within `timeoutMs`, whatever the other side does.
   * @returns a remark for `status`, such as `200 OK in 3 ms`
   * @throws {Error} whose message is the reason, such as `connection refused`
   */
  probe(target: Target, options: Options, context: ProbeContext): Promise<string>;
}
