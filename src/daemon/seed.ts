import type { Probe, ProbeKey } from '../model/check.ts';
import type { Config } from '../model/config.ts';
import { type DestinationKey, destinationKey } from '../model/destination.ts';
import type { EndpointHealth, Health, Verdict } from '../model/health.ts';
import type { Ownership } from '../model/ownership.ts';
import type { LiveState } from '../model/state.ts';
import { type VirtualServiceKey, virtualServiceKey } from '../model/virtual-service.ts';

/** What was known before a configuration came: the one it replaces, its health, what was draining, and the kernel's table. */
export interface Past {
  readonly config?: Config;
  readonly health: Health;
  readonly owned?: Ownership;
  readonly live: LiveState;
}

/**
 * Where the health of a probe begins that has not run yet (design.md section 4.7). A server whose check was edited keeps
 * its verdict; one that is in the kernel is adopted with the verdict its weight tells; any other one is unknown, and so
 * is one that comes back while it drains, as its weight 0 tells nothing of its health.
 * When several servers share the probe and disagree, serving wins.
 */
export function seeds(config: Config, past: Past, nowMs: number): (probe: Probe) => EndpointHealth {
  const verdicts = verdictsOf(config, past);
  return (probe) => {
    const verdict = verdicts.get(probe.key) ?? 'unknown';
    const reason = verdict === 'unknown' ? 'waits for its first passed probe' : 'as it was found, not probed yet';
    return { verdict, probed: false, contradicting: 0, reason, sinceMs: nowMs };
  };
}

function verdictsOf(config: Config, past: Past): Map<ProbeKey, Verdict> {
  const arrivals = [...usersOf(config)].filter(({ probe }) => !past.health.has(probe.key));
  const before = probesByPlace(past.config, new Set(arrivals.map(({ key }) => key)));
  const verdicts = new Map<ProbeKey, Verdict>();
  for (const { key, place, probe } of arrivals) {
    if (verdicts.get(probe.key) === 'up') continue;
    const earlier = past.health.get(before.get(`${key} ${place}`) ?? '')?.verdict;
    const isDraining = past.owned?.get(key)?.draining[place] !== undefined;
    const found = isDraining ? undefined : past.live.services.get(key)?.destinations.get(place)?.weight;
    const verdict = earlier ?? (found === undefined ? 'unknown' : found > 0 ? 'up' : 'down');
    if (verdict !== 'unknown') verdicts.set(probe.key, verdict);
  }
  return verdicts;
}

/** A server that has a probe, and where it is: its virtual service and destination. */
interface User {
  readonly key: VirtualServiceKey;
  readonly place: DestinationKey;
  readonly probe: Probe;
}

function* usersOf(config: Config, only?: ReadonlySet<VirtualServiceKey>): Generator<User> {
  for (const service of config.services) {
    for (const { service: virtual, servers } of service.listeners) {
      const key = virtualServiceKey(virtual.id);
      if (only?.has(key) === false) continue;
      for (const { probe, destination } of servers) {
        if (probe !== undefined) yield { key, place: destinationKey(destination), probe };
      }
    }
  }
}

/** The probes of servers by place, in some of the virtual services. */
function probesByPlace(
  config: Config | undefined,
  only: ReadonlySet<VirtualServiceKey>,
): ReadonlyMap<string, ProbeKey> {
  if (config === undefined || only.size === 0) return new Map();
  return new Map(Array.from(usersOf(config, only), ({ key, place, probe }) => [`${key} ${place}`, probe.key]));
}
