import type { Config, Listener, Server, Service } from '../model/config.ts';
import { type Destination, type DestinationKey, destinationKey } from '../model/destination.ts';
import type { Health } from '../model/health.ts';
import type { OwnedService, Ownership } from '../model/ownership.ts';
import type { LiveServiceState, LiveState, ServiceState, State } from '../model/state.ts';
import { type VirtualServiceKey, virtualServiceKey } from '../model/virtual-service.ts';
import { desiredDestination } from './desired-destination.ts';
import { type Drain, drain } from './drain.ts';
import { type Steps, toTheEnd } from './steps.ts';
import { verdictOf } from './verdict-of.ts';

/** All that decides what the kernel's table should be. */
export interface Situation {
  readonly config: Config;
  /** A server whose probe is not in here is `unknown`: adopted verdicts must be put in before. */
  readonly health: Health;
  readonly live: LiveState;
  /** What was recorded as ours after the last round. */
  readonly owned: Ownership;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What the kernel's table should be. */
export interface Desired {
  /** Foreign services that are left alone are in it, as they are. */
  readonly state: State;
  /** What is ours, to be recorded before the kernel is touched. A service is ours until the kernel has it no more. */
  readonly owned: Ownership;
  /** When the first drain runs out of time (milliseconds since the epoch); absent when nothing is waited for. */
  readonly nextDrainMs?: number;
}

/** How long a foreign service that `unmanaged = "remove"` takes away may finish its connections. */
const foreignDrainMs = 300_000;

const none: LiveServiceState['destinations'] = new Map();
const nothing: Drain = { destinations: new Map(), draining: {}, nextMs: Infinity };

/** Decides what the kernel's table should be: the configured services with their effective weights, and what still drains. */
export function desired(situation: Situation): Desired {
  return toTheEnd(desiredInSteps(situation));
}

/** The same in steps of one virtual service, so that others get a turn while a large table is decided on. */
export function* desiredInSteps(situation: Situation): Steps<Desired> {
  const { config, live, owned } = situation;
  const services = new Map<VirtualServiceKey, ServiceState>();
  const ours = new Map<VirtualServiceKey, OwnedService>();
  const disabled = new Map<VirtualServiceKey, number>();
  let nextDrainMs = Infinity;
  const own = (key: VirtualServiceKey, drainMs: number, { draining, nextMs }: Drain): void => {
    ours.set(key, { drainMs, draining });
    nextDrainMs = Math.min(nextDrainMs, nextMs);
  };

  for (const service of config.services) {
    for (const listener of service.listeners) {
      yield;
      const key = virtualServiceKey(listener.service.id);
      if (service.enabled) {
        const { state, leaving } = configured(key, service, listener, situation);
        services.set(key, state);
        own(key, service.drainMs, leaving);
      } else disabled.set(key, service.drainMs);
    }
  }
  for (const [key, { service, destinations }] of live.services) {
    yield;
    if (services.has(key)) continue;
    const record = owned.get(key);
    const drainMs = disabled.get(key) ?? record?.drainMs ?? foreignDrain(config);
    if (drainMs === undefined) services.set(key, { service, destinations });
    else {
      const leaving = drain(service, destinations, { drainMs, draining: record?.draining ?? {} }, situation.nowMs);
      if (leaving.destinations.size > 0) services.set(key, { service, destinations: leaving.destinations });
      own(key, drainMs, leaving);
    }
  }
  return {
    state: config.timeouts === undefined ? { services } : { services, timeouts: config.timeouts },
    owned: ours,
    ...(nextDrainMs < Infinity && { nextDrainMs }),
  };
}

function foreignDrain(config: Config): number | undefined {
  return config.daemon.unmanaged === 'remove' ? foreignDrainMs : undefined;
}

/** A configured virtual service: its servers, and the destinations that are no longer among them but not yet gone. */
function configured(
  key: VirtualServiceKey,
  { onFail, drainMs }: Service,
  { service, servers }: Listener,
  { health, live, owned, nowMs }: Situation,
): { readonly state: ServiceState; readonly leaving: Drain } {
  const liveDestinations = live.services.get(key)?.destinations ?? none;
  if (isSettled(servers, onFail, health, liveDestinations)) {
    return { state: { service, destinations: liveDestinations }, leaving: nothing };
  }
  const destinations = new Map<DestinationKey, Destination>();
  const leaving = new Map(liveDestinations);
  for (const server of servers) {
    const name = destinationKey(server.destination);
    const destination = desiredDestination(server, onFail, health, liveDestinations.get(name));
    leaving.delete(name);
    if (destination !== undefined) destinations.set(name, destination);
  }
  if (leaving.size === 0) return { state: { service, destinations }, leaving: nothing };

  const record = { drainMs, draining: owned.get(key)?.draining ?? {} };
  const drained = isAwaited(servers, destinations, health)
    ? { destinations: leaving, draining: record.draining, nextMs: Infinity }
    : drain(service, leaving, record, nowMs);
  return { state: { service, destinations: new Map([...destinations, ...drained.destinations]) }, leaving: drained };
}

/** Whether the destinations are as they should be. Nearly all are in nearly all rounds, and that should cost nothing. */
function isSettled(
  servers: readonly Server[],
  onFail: Service['onFail'],
  health: Health,
  live: LiveServiceState['destinations'],
): boolean {
  return (
    servers.length === live.size &&
    servers.every((server) => {
      const destination = live.get(destinationKey(server.destination));
      return destination !== undefined && desiredDestination(server, onFail, health, destination) === destination;
    })
  );
}

/** Make before break: while all that will serve waits for its first probe, those who leave go on serving. */
function isAwaited(
  servers: readonly Server[],
  destinations: ReadonlyMap<DestinationKey, Destination>,
  health: Health,
): boolean {
  return (
    ![...destinations.values()].some(({ weight }) => weight > 0) &&
    servers.some((server) => server.enabled && verdictOf(server, health) === 'unknown')
  );
}
