import type { Config } from '../model/config.ts';
import type { Health } from '../model/health.ts';

/** Why a round found something to do. `drift` means that somebody else changed the kernel's table. */
export type Cause = 'start' | 'configuration' | 'health' | 'drain' | 'retry' | 'drift';

/** What the round before worked from and left. */
export interface Earlier {
  readonly config: Config;
  /** When it began, milliseconds since the epoch. */
  readonly atMs: number;
  readonly isDraining: boolean;
  readonly failing: number;
}

/** What has changed since the round before; what nothing of ours explains is drift. */
export function causeOf(config: Config, health: Health, before: Earlier | undefined): Cause {
  if (before === undefined) return 'start';
  if (before.config !== config) return 'configuration';
  for (const { sinceMs } of health.values()) if (sinceMs >= before.atMs) return 'health';
  if (before.failing > 0) return 'retry';
  return before.isDraining ? 'drain' : 'drift';
}
