const firstRetryMs = 1000;
const longestRetryMs = 60_000;
const drainPollMs = 1000;

/** What decides how long the loop sleeps after a round. */
export interface RoundOutcome {
  /** Rounds in a row that had troubles. */
  readonly failing: number;
  readonly durationMs: number;
  readonly isDraining: boolean;
}

/**
 * How long to sleep after a round, in milliseconds: retries back off from one second to a minute; while servers drain
 * their connections are looked at every second, or less often where reading the table takes long; else until the resync.
 */
export function sleepAfter({ failing, durationMs, isDraining }: RoundOutcome, resyncMs: number): number {
  if (failing > 0) return Math.min(resyncMs, longestRetryMs, firstRetryMs * 2 ** Math.min(failing - 1, 6));
  return isDraining ? Math.min(resyncMs, Math.max(drainPollMs, 20 * durationMs)) : resyncMs;
}
