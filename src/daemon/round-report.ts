import type { Config } from '../model/config.ts';
import type { RoundEnd } from './loop.ts';
import type { RoundResult } from './round.ts';
import { sleepAfter } from './sleep.ts';

/** The end of a round, as the daemon remembers it: what was done, or why nothing could be. */
export interface RoundReport extends RoundEnd {
  /** When it began, milliseconds since the epoch. */
  readonly atMs: number;
  readonly durationMs: number;
  /** Absent when the kernel could not be reached. */
  readonly result?: RoundResult;
  /** What went wrong, one line each; empty when all is well. */
  readonly troubles: readonly string[];
  /** Rounds in a row that had troubles. */
  readonly failing: number;
  /** The configuration it worked from. */
  readonly config: Config;
  /** Whether servers are still on their way out. */
  readonly isDraining: boolean;
}

/** What is kept of a round: not its plan, which may be large. */
export type PastRound = Omit<RoundReport, 'result'>;

const foreignWriter = 'the kernel differs from what was just applied: does another program change it?';

/** Runs a round and reports on it, whatever comes of it. */
export async function reported(
  run: (nowMs: number) => Promise<RoundResult>,
  config: Config,
  before: PastRound | undefined,
): Promise<RoundReport> {
  const atMs = Date.now();
  const startMs = performance.now();
  const { result, troubles } = await run(atMs).then(
    (result) => ({ result, troubles: troublesOf(result) }),
    (error: unknown) => ({ result: undefined, troubles: [(error as Error).message] }),
  );
  const durationMs = performance.now() - startMs;
  const failing = troubles.length > 0 ? (before?.failing ?? 0) + 1 : 0;
  const isDraining = result?.nextDrainMs !== undefined;
  const sleepMs = sleepAfter({ failing, durationMs, isDraining }, config.daemon.resyncMs);
  return { atMs, durationMs, troubles, failing, config, isDraining, sleepMs, ...(result !== undefined && { result }) };
}

function troublesOf({ failures, unsettled }: RoundResult): string[] {
  return [...failures.map(({ message }) => message), ...(unsettled.length > 0 ? [foreignWriter] : [])];
}
