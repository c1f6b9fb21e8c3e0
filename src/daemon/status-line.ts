import type { Config } from '../model/config.ts';
import type { Health } from '../model/health.ts';
import type { ReloadOutcome } from './reload-outcome.ts';
import type { PastRound } from './round-report.ts';

/** One line on how the daemon is, worst news first: systemd's STATUS, which `systemctl status` shows. */
export function statusLine(
  { services }: Config,
  health: Health,
  reload: ReloadOutcome | undefined,
  round: PastRound | undefined,
): string {
  let down = 0;
  for (const { verdict } of health.values()) if (verdict !== 'up') down++;
  const [trouble] = round?.troubles ?? [];
  return [
    ...(reload?.result === 'rejected' ? ['reload rejected, the old configuration runs on'] : []),
    ...(trouble === undefined ? [] : [`degraded: ${trouble}`]),
    `services: ${services.length}, probed: ${health.size}, not up: ${down}`,
  ].join('; ');
}
