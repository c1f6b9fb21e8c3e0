import type { Probe } from '../model/check.ts';
import type { Config } from '../model/config.ts';

/** The probes that a configuration asks for: those of enabled servers of enabled services. Equal keys repeat. */
export function* probesOf(config: Config): Generator<Probe> {
  for (const service of config.services) {
    if (!service.enabled) continue;
    for (const listener of service.listeners) {
      for (const server of listener.servers) {
        if (server.enabled && server.probe !== undefined) yield server.probe;
      }
    }
  }
}
