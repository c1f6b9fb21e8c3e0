import type { Problem } from '../model/problem.ts';

/** How a reload ended: all applied, refused with everything left as it was, or applied but for what the kernel refused. */
export interface ReloadOutcome {
  readonly result: 'applied' | 'rejected' | 'partial';
  /** When it ended, milliseconds since the epoch, and how long it took. */
  readonly atMs: number;
  readonly durationMs: number;
  /** Errors when rejected, otherwise warnings. */
  readonly problems: readonly Problem[];
  /** Operations carried out. */
  readonly changes: number;
  /** Endpoints that wait for their first passed probe: their servers enter after it. */
  readonly waiting: number;
  /** What the kernel refused, in words. */
  readonly failures: readonly string[];
}
