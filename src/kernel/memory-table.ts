import { type Destination, type DestinationKey, destinationKey, ipip } from '../model/destination.ts';
import type { Operation } from '../model/operation.ts';
import type { Timeouts } from '../model/timeouts.ts';
import {
  type VirtualService,
  type VirtualServiceKey,
  serviceFlags,
  virtualServiceKey,
} from '../model/virtual-service.ts';

/** A virtual service of the in-memory table. */
export interface MemoryService {
  service: VirtualService;
  readonly destinations: Map<DestinationKey, Destination>;
}

/** The in-memory twin of the kernel's table. */
export interface MemoryTable {
  readonly services: Map<VirtualServiceKey, MemoryService>;
  timeouts: Timeouts;
}

/** An empty table with the kernel's default timeouts (net/netfilter/ipvs/ip_vs_proto_tcp.c, ip_vs_proto_udp.c). */
export function memoryTable(): MemoryTable {
  return { services: new Map(), timeouts: { tcpSeconds: 900, tcpFinSeconds: 120, udpSeconds: 300 } };
}

/** Carries out an operation that the kernel would not refuse (see `memoryRefusal`). */
export function changeMemoryTable(table: MemoryTable, operation: Operation): void {
  switch (operation.kind) {
    case 'set-timeouts':
      table.timeouts = kept(table.timeouts, operation.timeouts);
      return;
    case 'remove-service':
      table.services.delete(virtualServiceKey(operation.service.id));
      return;
    case 'add-service':
    case 'edit-service': {
      const key = virtualServiceKey(operation.service.id);
      const service = { ...operation.service, flags: operation.service.flags & ~serviceFlags.hashed };
      const destinations = table.services.get(key)?.destinations ?? new Map<DestinationKey, Destination>();
      table.services.set(key, { service, destinations });
      return;
    }
    case 'add-destination':
    case 'edit-destination':
      destinationsOf(table, operation)?.set(destinationKey(operation.destination), stored(operation.destination));
      return;
    case 'remove-destination':
      destinationsOf(table, operation)?.delete(destinationKey(operation.destination));
      return;
  }
}

function destinationsOf(
  table: MemoryTable,
  { id }: Extract<Operation, { id: unknown }>,
): MemoryService['destinations'] | undefined {
  return table.services.get(virtualServiceKey(id))?.destinations;
}

/** Only tunnels have a tunnel: of other methods it is not even sent. */
function stored(destination: Destination): Destination {
  return destination.method === 'tun' ? destination : { ...destination, tunnel: ipip };
}

/** A timeout of 0 keeps what is there (ip_vs_ctl.c: ip_vs_set_timeout). */
function kept(old: Timeouts, given: Timeouts): Timeouts {
  return {
    tcpSeconds: given.tcpSeconds || old.tcpSeconds,
    tcpFinSeconds: given.tcpFinSeconds || old.tcpFinSeconds,
    udpSeconds: given.udpSeconds || old.udpSeconds,
  };
}
