import { type Address, familyOf } from '../model/address.ts';
import { type ForwardMethod, type Tunnel, destinationKey, ipip } from '../model/destination.ts';
import type { Server } from '../model/config.ts';
import { probeOf } from '../model/check.ts';
import { type VirtualServiceId, familyOfService } from '../model/virtual-service.ts';
import { type Finding, type Place, below, errorAt } from './finding.ts';
import type { ResolvedCheck } from './resolve-check.ts';
import type { ServerKeys } from './server-schema.ts';
import type { ServiceKeys } from './service-schema.ts';

/** A server of a service before it is bound to a listener: what its own keys and the service's come to. */
export interface ServerTemplate {
  readonly place: Place;
  readonly keys: ServerKeys;
  readonly method: ForwardMethod;
  readonly tunnel: Tunnel;
  readonly weight: number;
  readonly maxConnections: number;
  readonly minConnections: number;
  readonly isPersistent: boolean;
  readonly check?: ResolvedCheck;
}

/** Merges a server's keys with those of its service. */
export function serverTemplate(
  keys: ServerKeys,
  service: ServiceKeys,
  check: ResolvedCheck | undefined,
  place: Place,
  findings: Finding[],
): ServerTemplate {
  const mode = keys.mode ?? service.mode;
  if (mode === 'fullnat' && keys.mode !== undefined) findings.push(errorAt(below(place, 'mode'), noFullNat));
  const tunnelKeys = keys.tunnel ?? service.tunnel;
  if (keys.name !== undefined && keys.address.length > 1) {
    findings.push(
      errorAt(
        below(place, 'name'),
        `is one name for several servers (found ${keys.address.length}, expected one address)`,
      ),
    );
  }
  checkAddresses(keys, place, findings);
  if (keys.tunnel && mode !== 'tun') findings.push(errorAt(below(place, 'tunnel'), tunnelWithoutTun(mode)));
  const template = {
    place,
    keys,
    method: mode === 'fullnat' ? 'nat' : mode,
    tunnel: mode === 'tun' && tunnelKeys ? tunnelOf(tunnelKeys) : ipip,
    weight: keys.weight ?? service.weight,
    maxConnections: keys.max_connections ?? service.max_connections,
    minConnections: keys.min_connections ?? service.min_connections,
    isPersistent: service.persistence !== undefined,
    ...(check && { check }),
  } as const;
  checkThresholds(template, findings);
  if (keys.tunnel) checkTunnel(keys.tunnel, below(place, 'tunnel'), findings);
  return template;
}

/** The kernel answers EINVAL to a link-local destination: it has no interface to go with it (ip_vs_ctl.c). */
function checkAddresses({ address: [address = ''] }: ServerKeys, place: Place, findings: Finding[]): void {
  if (!/^fe[89ab].:/.test(address)) return;
  findings.push(errorAt(below(place, 'address'), `cannot be used (found "${address}", which is a link-local address)`));
}

/** The message about mode fullnat. */
export const noFullNat = 'mode "fullnat" is not supported yet by this version (expected "nat", "dr" or "tun")';

/** The message about a tunnel that nothing uses. */
export function tunnelWithoutTun(mode: string): string {
  return `has no effect in mode "${mode}" (expected mode "tun")`;
}

function tunnelOf({ type, port, checksum }: NonNullable<ServiceKeys['tunnel']>): Tunnel {
  return { type, port: type === 'gue' ? (port ?? 6080) : 0, checksum };
}

/** What the kernel would accept of a tunnel and silently leave out (ip_vs_xmit.c). */
export function checkTunnel(tunnel: NonNullable<ServiceKeys['tunnel']>, place: Place, findings: Finding[]): void {
  const { type, port, checksum } = tunnel;
  if (port !== undefined && type !== 'gue') {
    findings.push(errorAt(below(place, 'port'), `only GUE has a port (found type "${type}")`));
  }
  if (checksum !== 'none' && type !== 'gue' && (type !== 'gre' || checksum !== 'full')) {
    const expected = type === 'gre' ? '"none" or "full"' : '"none"';
    findings.push(
      errorAt(below(place, 'checksum'), `not possible with type "${type}" (found "${checksum}", expected ${expected})`),
    );
  }
}

/** The kernel answers ERANGE when the lower threshold is above the upper one, also when there is no upper one. */
function checkThresholds(template: ServerTemplate, findings: Finding[]): void {
  const { minConnections: min, maxConnections: max, place } = template;
  if (min <= max) return;
  findings.push(
    errorAt(below(place, 'min_connections'), `is above max_connections (found ${min}, expected at most ${max})`),
  );
}

/** Whether a server of an address can serve a listener: tunnels cross families, the other modes do not. */
export function fitsFamily(template: ServerTemplate, address: Address, id: VirtualServiceId): boolean {
  return template.method === 'tun' || familyOf(address) === familyOfService(id);
}

/** The server, bound to one address of its own and one listener. */
export function bindServer(
  template: ServerTemplate,
  address: Address,
  id: VirtualServiceId,
  findings: Finding[],
): Server {
  const { method, tunnel, weight, maxConnections, minConnections, keys, check } = template;
  const port = portFor(template, id, findings);
  const destination = { address, port, method, tunnel, weight, maxConnections, minConnections };
  const name = keys.name ?? destinationKey(destination);
  const { enabled } = keys;
  if (!check) return { name, enabled, destination };
  const target = { address: check.address ?? address, port: check.port ?? port };
  if (target.port === 0) {
    findings.push(errorAt(template.place, 'has a check but no port to probe: set port in its check'));
  }
  return { name, enabled, destination, probe: probeOf(check.check, target) };
}

/** Only masquerading rewrites ports; elsewhere the kernel stores another port and forwards to the old one. */
function portFor(template: ServerTemplate, id: VirtualServiceId, findings: Finding[]): number {
  const { keys, place } = template;
  const listenPort = 'fwmark' in id ? 0 : id.port;
  if (keys.port === undefined || keys.port === listenPort) return listenPort;
  const obstacle = portObstacle(template, id);
  if (obstacle === undefined) return keys.port;
  const expected = listenPort === 0 ? 'none' : `${listenPort} or none`;
  findings.push(
    errorAt(below(place, 'port'), `${obstacle} cannot change the port (found ${keys.port}, expected ${expected})`),
  );
  return listenPort;
}

/** What keeps the port as it is (ip_vs_core.c: ip_vs_sched_persist ignores the destination's port of marks and of port 0). */
function portObstacle({ method, isPersistent }: ServerTemplate, id: VirtualServiceId): string | undefined {
  if (method !== 'nat') return `mode "${method}"`;
  if ('fwmark' in id) return isPersistent ? 'fwmark with persistence' : undefined;
  return id.port === 0 ? 'a service on port 0' : undefined;
}
