import type { Protocol } from '../model/virtual-service.ts';
import type { VirtualServiceId } from '../model/virtual-service.ts';
import { type Finding, type Place, below, errorAt } from './finding.ts';
import type { ServiceKeys } from './service-schema.ts';

/** Most kernel virtual services that one block may make; beyond, a firewall mark serves better. */
const most = 4096;

/** The identity of a kernel virtual service that a service makes, and the key that asks for it. */
export interface PlacedId {
  readonly id: VirtualServiceId;
  readonly place: Place;
}

/** The identities of the kernel virtual services that a service makes: one per address, port and protocol, or mark and family. */
export function listenerIds(keys: ServiceKeys, place: Place, findings: Finding[]): readonly PlacedId[] {
  if ((keys.listen === undefined) === (keys.fwmark === undefined)) {
    findings.push(errorAt(place, `needs either listen or fwmark (found ${keys.listen ? 'both' : 'none'})`));
    return [];
  }
  const ids = keys.fwmark ? markIds(keys, place) : addressIds(keys, place);
  if (ids.length <= most) return ids;
  const message = `makes too many virtual services (found ${ids.length}, expected at most ${most}); use fwmark instead`;
  findings.push(errorAt(below(place, 'listen'), message));
  return [];
}

function markIds(keys: ServiceKeys, place: Place): PlacedId[] {
  return (keys.fwmark ?? []).flatMap((fwmark) =>
    keys.family.map((family) => ({ id: { fwmark, family }, place: below(place, 'fwmark') })),
  );
}

function addressIds(keys: ServiceKeys, place: Place): PlacedId[] {
  return (keys.listen ?? []).flatMap(({ addresses, ports }, i) =>
    addresses.flatMap((address) =>
      portsBetween(...ports).flatMap((port) =>
        keys.protocol.map((protocol: Protocol) => ({
          id: { protocol, address, port },
          place: below(place, 'listen', i),
        })),
      ),
    ),
  );
}

function portsBetween(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
