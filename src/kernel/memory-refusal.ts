import { type Destination, destinationKey } from '../model/destination.ts';
import { familyOf } from '../model/address.ts';
import type { Operation } from '../model/operation.ts';
import { schedulers } from '../model/schedulers.ts';
import type { Timeouts } from '../model/timeouts.ts';
import { type VirtualService, familyOfService, virtualServiceKey } from '../model/virtual-service.ts';
import type { MemoryTable } from './memory-table.ts';
import { isForwardable } from './memory-address.ts';

/** What the kernel would answer: an errno by name, or undefined when it would do it. The order of the checks is the kernel's. */
export type Refusal = string | undefined;

const intMax = 0x7fffffff;
/** INT_MAX / HZ with Debian's HZ of 250 (ip_vs_ctl.c: ip_vs_set_timeout). */
const maxTimeoutSeconds = 8_589_934;

const engines = new Set(['', 'sip']);

/** Refuses as ip_vs_genl_set_cmd() of net/netfilter/ipvs/ip_vs_ctl.c does. */
export function memoryRefusal(table: MemoryTable, operation: Operation): Refusal {
  switch (operation.kind) {
    case 'set-timeouts':
      return refuseTimeouts(operation.timeouts);
    case 'add-service':
    case 'edit-service':
    case 'remove-service':
      return refuseService(table, operation.kind, operation.service);
    default:
      return refuseDestination(table, operation);
  }
}

function refuseTimeouts({ tcpSeconds, tcpFinSeconds, udpSeconds }: Timeouts): Refusal {
  return [tcpSeconds, tcpFinSeconds, udpSeconds].some((s) => s < 0 || s > maxTimeoutSeconds) ? 'EINVAL' : undefined;
}

function refuseService(
  table: MemoryTable,
  kind: 'add-service' | 'edit-service' | 'remove-service',
  { id, scheduler, persistenceEngine, persistencePrefix }: VirtualService,
): Refusal {
  const exists = table.services.has(virtualServiceKey(id));
  if (kind !== 'remove-service' && (scheduler.length > 15 || persistenceEngine.length > 16)) return 'EINVAL';
  if (kind === 'add-service' ? exists : !exists) return exists ? 'EEXIST' : 'ESRCH';
  if (kind === 'remove-service') return undefined;
  if (!schedulers.has(scheduler) || !engines.has(persistenceEngine)) return 'ENOENT';
  const isPrefixWrong = familyOfService(id) === 'inet6' && (persistencePrefix < 1 || persistencePrefix > 128);
  return isPrefixWrong ? 'EINVAL' : undefined;
}

function refuseDestination(
  table: MemoryTable,
  { kind, id, destination }: Extract<Operation, { readonly destination: Destination }>,
): Refusal {
  const service = table.services.get(virtualServiceKey(id));
  if (service === undefined) return 'ESRCH';
  const exists = service.destinations.has(destinationKey(destination));
  if (kind === 'remove-destination') return exists ? undefined : 'ENOENT';
  // Only tunnels cross address families.
  if (familyOf(destination.address) !== familyOfService(id) && destination.method !== 'tun') return 'EINVAL';
  const refusal = refuseAttributes(destination);
  if (refusal !== undefined) return refusal;
  if (kind === 'edit-destination') return exists ? undefined : 'ENOENT';
  if (exists) return 'EEXIST';
  return isForwardable(destination.address) ? undefined : 'EINVAL';
}

function refuseAttributes({ method, weight, maxConnections, minConnections, tunnel }: Destination): Refusal {
  if (weight < 0 || weight > intMax || minConnections > maxConnections) return 'ERANGE';
  return maxConnections > intMax || (method === 'tun' && tunnel.type === 'gue' && tunnel.port === 0)
    ? 'EINVAL'
    : undefined;
}
