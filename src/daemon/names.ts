import type { ProbeKey } from '../model/check.ts';
import type { Config } from '../model/config.ts';
import { type VirtualServiceKey, virtualServiceKey } from '../model/virtual-service.ts';

/** What things are called in the file: for logs, plans and status. */
export interface Names {
  readonly services: ReadonlyMap<VirtualServiceKey, string>;
  /** `service/server` of every server that a probe decides about. */
  readonly probes: ReadonlyMap<ProbeKey, ReadonlySet<string>>;
}

const known = new WeakMap<Config, Names>();

/** The names in a configuration. */
export function namesOf(config: Config): Names {
  const names = known.get(config) ?? collect(config);
  known.set(config, names);
  return names;
}

function collect(config: Config): Names {
  const services = new Map<VirtualServiceKey, string>();
  const probes = new Map<ProbeKey, Set<string>>();
  for (const service of config.services) {
    for (const listener of service.listeners) {
      services.set(virtualServiceKey(listener.service.id), service.name);
      for (const { name, probe } of listener.servers) {
        if (probe === undefined) continue;
        const users = probes.get(probe.key) ?? new Set();
        probes.set(probe.key, users.add(`${service.name}/${name}`));
      }
    }
  }
  return { services, probes };
}
