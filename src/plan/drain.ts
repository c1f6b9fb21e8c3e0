import type { DestinationKey, Destination } from '../model/destination.ts';
import type { OwnedService } from '../model/ownership.ts';
import type { LiveDestination } from '../model/state.ts';
import { type VirtualService, serviceFlags } from '../model/virtual-service.ts';

/** What becomes of the destinations of one virtual service that nobody configures any more. */
export interface Drain {
  /** Those that may still finish their connections, at weight 0. */
  readonly destinations: ReadonlyMap<DestinationKey, Destination>;
  /** Since when each of them that the kernel still has is on its way out, milliseconds since the epoch. */
  readonly draining: OwnedService['draining'];
  /** When the first of them runs out of time, milliseconds since the epoch; Infinity when none is waited for. */
  readonly nextMs: number;
}

/**
 * Drains destinations: weight 0 until their connections are gone or their time is over.
 * @param leaving - the live destinations that should go
 * @param record - how long they have, and which of them are on their way already
 */
export function drain(
  service: VirtualService,
  leaving: Iterable<readonly [DestinationKey, LiveDestination]>,
  record: OwnedService,
  nowMs: number,
): Drain {
  const drainMs = isConnectionless(service) ? 0 : record.drainMs;
  const destinations = new Map<DestinationKey, Destination>();
  const draining: Record<DestinationKey, number> = {};
  let nextMs = Infinity;
  for (const [key, live] of leaving) {
    // A start in the future means that the clock was set back: count from now rather than wait for it.
    const startMs = Math.min(record.draining[key] ?? nowMs, nowMs);
    draining[key] = startMs;
    // Idle is gone only once it gets no new connections: one may have come since the table was read.
    const isIdle = live.weight === 0 && live.activeConnections + live.inactiveConnections === 0;
    if (isIdle || startMs + drainMs <= nowMs) continue;
    destinations.set(key, atWeightZero(live));
    nextMs = Math.min(nextMs, startMs + drainMs);
  }
  return { destinations, draining, nextMs };
}

/** UDP clients that re-use a port would stay on a destination at weight 0 for ever: its "connections" never end. */
function isConnectionless({ id, flags }: VirtualService): boolean {
  return (flags & serviceFlags.onePacket) !== 0 || ('protocol' in id && id.protocol === 'udp');
}

function atWeightZero(live: LiveDestination): Destination {
  const { address, port, method, tunnel, maxConnections, minConnections } = live;
  return live.weight === 0 ? live : { address, port, method, tunnel, weight: 0, maxConnections, minConnections };
}
