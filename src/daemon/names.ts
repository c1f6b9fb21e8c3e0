import type { ProbeKey } from '../model/check.ts';
import type { Config } from '../model/config.ts';
import { type VirtualServiceKey, virtualServiceKey } from '../model/virtual-service.ts';

/** What the virtual services are called in the file. Made once for each configuration. */
export const serviceNames = remembered((config): ReadonlyMap<VirtualServiceKey, string> => {
  const names = new Map<VirtualServiceKey, string>();
  for (const { name, listeners } of config.services) {
    for (const { service } of listeners) names.set(virtualServiceKey(service.id), name);
  }
  return names;
});

/** The servers that each probe decides about, as `service/server`. Made once for each configuration. */
export const probeUsers = remembered((config): ReadonlyMap<ProbeKey, ReadonlySet<string>> => {
  const users = new Map<ProbeKey, Set<string>>();
  for (const service of config.services) {
    for (const { servers } of service.listeners) {
      for (const { name, probe } of servers) {
        if (probe === undefined) continue;
        const known = users.get(probe.key) ?? new Set();
        users.set(probe.key, known.add(`${service.name}/${name}`));
      }
    }
  }
  return users;
});

function remembered<Value extends object>(make: (config: Config) => Value): (config: Config) => Value {
  const made = new WeakMap<Config, Value>();
  return (config) => {
    const value = made.get(config) ?? make(config);
    made.set(config, value);
    return value;
  };
}
