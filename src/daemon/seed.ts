import type { Probe, ProbeKey } from '../model/check.ts';
import type { Config } from '../model/config.ts';
import { destinationKey } from '../model/destination.ts';
import type { EndpointHealth, Health, Verdict } from '../model/health.ts';
import type { LiveState } from '../model/state.ts';
import { virtualServiceKey } from '../model/virtual-service.ts';

/** What was known before a configuration came: the one it replaces, its health, and the kernel's table. */
export interface Past {
  readonly config?: Config;
  readonly health: Health;
  readonly live: LiveState;
}

/**
 * Where the health of a probe begins that has not run yet (design.md section 4.7). A server whose check was edited keeps
 * its verdict; one that is in the kernel is adopted with the verdict its weight tells; any other one is unknown.
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
  const before = past.config === undefined ? new Map<string, ProbeKey>() : probesByPlace(past.config);
  const verdicts = new Map<ProbeKey, Verdict>();
  for (const service of config.services) {
    for (const { service: virtual, servers } of service.listeners) {
      const key = virtualServiceKey(virtual.id);
      const live = past.live.services.get(key);
      for (const { probe, destination } of servers) {
        if (probe === undefined || past.health.has(probe.key) || verdicts.get(probe.key) === 'up') continue;
        const place = destinationKey(destination);
        const earlier = past.health.get(before.get(`${key} ${place}`) ?? '')?.verdict;
        const found = live?.destinations.get(place)?.weight;
        const verdict = earlier ?? (found === undefined ? 'unknown' : found > 0 ? 'up' : 'down');
        if (verdict !== 'unknown') verdicts.set(probe.key, verdict);
      }
    }
  }
  return verdicts;
}

/** The probe of each server, by virtual service and destination. */
function probesByPlace(config: Config): Map<string, ProbeKey> {
  const probes = new Map<string, ProbeKey>();
  for (const service of config.services) {
    for (const { service: virtual, servers } of service.listeners) {
      const key = virtualServiceKey(virtual.id);
      for (const { probe, destination } of servers) {
        if (probe !== undefined) probes.set(`${key} ${destinationKey(destination)}`, probe.key);
      }
    }
  }
  return probes;
}
