import type { Listener, Server, Service } from '../model/config.ts';
import { destinationKey } from '../model/destination.ts';
import { type Family, familyOf } from '../model/address.ts';
import { familyOfService } from '../model/virtual-service.ts';
import { type Finding, type Place, below, errorAt, warningAt } from './finding.ts';
import { type PlacedId, listenerIds } from './listener-ids.ts';
import type { ResolvedCheck } from './resolve-check.ts';
import type { ServerKeys } from './server-schema.ts';
import { type ServerTemplate, bindServer, fitsFamily, serverTemplate } from './server-template.ts';
import type { PoolKeys, ServiceKeys } from './service-schema.ts';
import { schedulerLimits } from './scheduler-limits.ts';
import { serviceRules } from './service-rules.ts';
import type { Table } from './table.ts';
import { virtualServiceOf } from './virtual-service-of.ts';

/** What a service may refer to. */
export interface Scope {
  /** The check of a key, found by name or given in place; undefined for "none", or when the name is unknown (a finding). */
  check(key: ServerKeys['check'], place: Place, findings: Finding[]): ResolvedCheck | undefined;
  /** The pool of a name. */
  pool(name: string, place: Place, findings: Finding[]): { readonly keys: PoolKeys; readonly place: Place } | undefined;
}

/** A service expanded, with the place that asked for each of its listeners, in order. */
export interface ExpandedService {
  readonly service: Service;
  readonly places: readonly Place[];
  readonly findings: readonly Finding[];
}

/** Expands a service: addresses, ports and protocols to listeners; pools and ranges to servers; checks to probes. */
export function expandService(
  name: string,
  keys: ServiceKeys,
  own: Table,
  place: Place,
  scope: Scope,
): ExpandedService {
  const findings = [...serviceRules(keys, own, place)];
  const ids = listenerIds(keys, place, findings);
  const templates = serverTemplates(keys, place, scope, findings);
  const listeners = ids.map(({ id }) => ({
    service: virtualServiceOf(id, keys),
    servers: bindAll(templates, id, findings),
  }));
  if (templates.length === 0) findings.push(warningAt(place, 'has no servers: its clients are refused'));
  else findings.push(...familyFindings(templates, ids), ...emptyListeners(listeners, ids));
  for (const listener of listeners) schedulerLimits(listener, place, findings);
  const service = { name, enabled: keys.enabled, listeners, drainMs: keys.drain, onFail: keys.on_fail };
  return { service, places: ids.map((id) => id.place), findings };
}

function serverTemplates(
  keys: ServiceKeys,
  place: Place,
  scope: Scope,
  findings: Finding[],
): readonly ServerTemplate[] {
  if (keys.pool !== undefined && keys.server) {
    findings.push(errorAt(below(place, 'pool'), 'stands beside servers of its own (expected either pool or server)'));
  }
  const pool =
    keys.pool === undefined || keys.server ? undefined : scope.pool(keys.pool, below(place, 'pool'), findings);
  const serviceCheck =
    keys.check === undefined ? undefined : { value: scope.check(keys.check, below(place, 'check'), findings) };
  const common = serviceCheck ?? { value: pool && scope.check(pool.keys.check, below(pool.place, 'check'), findings) };
  const template = (server: ServerKeys, at: Place): ServerTemplate => {
    const check = server.check === undefined ? common.value : scope.check(server.check, below(at, 'check'), findings);
    return serverTemplate(server, keys, check, at, findings);
  };
  return [
    ...(pool?.keys.servers.map((server, i) => template(server, below(pool.place, 'servers', i))) ?? []),
    ...(keys.server?.map((server, i) => template(server, below(place, 'server', i))) ?? []),
  ];
}

/** The servers of one listener; two with the same address and port, or the same name, are a finding. */
function bindAll(templates: readonly ServerTemplate[], id: PlacedId['id'], findings: Finding[]): readonly Server[] {
  const servers: Server[] = [];
  const seen = new Map<string, Place>();
  const claim = (key: string, what: string, place: Place): void => {
    const first = seen.get(key);
    if (first) findings.push(errorAt(place, what, first));
    else seen.set(key, place);
  };
  for (const template of templates) {
    for (const address of template.keys.address) {
      if (!fitsFamily(template, address, id)) continue;
      const server = bindServer(template, address, id, findings);
      const key = destinationKey(server.destination);
      claim(key, 'duplicate server', template.place);
      if (server.name !== key && template.keys.address.length === 1)
        claim(`name ${server.name}`, `duplicate server name "${server.name}"`, template.place);
      servers.push(server);
    }
  }
  return servers;
}

/** Servers whose family no listener has: the kernel answers EINVAL outside tun. */
function familyFindings(templates: readonly ServerTemplate[], ids: readonly PlacedId[]): Finding[] {
  if (ids.length === 0) return [];
  return templates
    .filter(({ keys }) => keys.address.length > 0)
    .filter(
      (template) => !template.keys.address.some((address) => ids.some(({ id }) => fitsFamily(template, address, id))),
    )
    .map(({ keys, method, place }) => {
      const family = familyName(familyOf(keys.address[0] ?? ''));
      return errorAt(
        below(place, 'address'),
        `is ${family} and its service is not: mode "${method}" cannot cross (expected mode "tun")`,
      );
    });
}

function emptyListeners(listeners: readonly Listener[], ids: readonly PlacedId[]): Finding[] {
  return listeners.flatMap(({ servers, service }, i) => {
    const place = ids[i]?.place;
    if (servers.length > 0 || !place) return [];
    return [warningAt(place, `no ${familyName(familyOfService(service.id))} server: its clients are refused`)];
  });
}

function familyName(family: Family): string {
  return family === 'inet' ? 'IPv4' : 'IPv6';
}
