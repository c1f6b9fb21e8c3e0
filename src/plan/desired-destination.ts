import type { Server, Service } from '../model/config.ts';
import type { Destination } from '../model/destination.ts';
import type { Health } from '../model/health.ts';
import { effectiveWeight } from './effective-weight.ts';
import { matchesDestination } from './matches-destination.ts';
import { verdictOf } from './verdict-of.ts';

/**
 * The destination that a configured server should be now, or undefined when it should not be in the kernel.
 * A server that serves nobody keeps its destination, and so its connections, at weight 0; it is never added for that.
 * @param live - its destination as it is, which is returned itself when it is right already
 */
export function desiredDestination(
  server: Server,
  onFail: Service['onFail'],
  health: Health,
  live: Destination | undefined,
): Destination | undefined {
  const verdict = verdictOf(server, health);
  const isServing = server.enabled && verdict === 'up';
  const isRemoved = server.enabled && verdict !== 'up' && onFail === 'remove';
  if (!isServing && (isRemoved || live === undefined)) return undefined;
  const weight = effectiveWeight({ configured: server.destination.weight, enabled: server.enabled, verdict });
  const wanted = weight === server.destination.weight ? server.destination : { ...server.destination, weight };
  return live !== undefined && matchesDestination(live, wanted) ? live : wanted;
}
