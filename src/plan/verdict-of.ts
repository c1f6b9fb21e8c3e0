import type { Server } from '../model/config.ts';
import type { Health, Verdict } from '../model/health.ts';

/** The verdict on a server: `up` when nothing probes it, `unknown` when its probe has never been heard of. */
export function verdictOf(server: Server, health: Health): Verdict {
  return server.probe === undefined ? 'up' : (health.get(server.probe.key)?.verdict ?? 'unknown');
}
