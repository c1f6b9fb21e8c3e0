import { constants } from 'node:os';
import { familyOf } from '../model/address.ts';
import { type Destination, destinationKey } from '../model/destination.ts';
import type { Operation } from '../model/operation.ts';
import {
  type VirtualService,
  type VirtualServiceId,
  familyOfService,
  virtualServiceKey,
} from '../model/virtual-service.ts';
import { errnoWords } from '../netlink/errno.ts';

/**
 * Why the kernel refused an operation, for people: what, where, why, and what to do about it.
 * @param code - the kernel's answer by name, such as `ENOENT`
 */
export function failureMessage(operation: Operation, code: string): string {
  return `cannot ${what(operation)}: ${reason(operation, code) ?? general(code)} (${code})`;
}

const verbs = { add: 'add', edit: 'change', remove: 'remove' } as const;

function what(operation: Operation): string {
  if (operation.kind === 'set-timeouts') return 'set the timeouts';
  const verb = verbs[operation.kind.split('-')[0] as keyof typeof verbs];
  return 'destination' in operation
    ? `${verb} the destination ${destinationKey(operation.destination)} of ${virtualServiceKey(operation.id)}`
    : `${verb} the virtual service ${virtualServiceKey(operation.service.id)}`;
}

/** What the kernel means in this place; it gives a number and no words (net/netfilter/ipvs/ip_vs_ctl.c). */
function reason(operation: Operation, code: string): string | undefined {
  if (operation.kind === 'set-timeouts') return code === 'EINVAL' ? 'a timeout is out of range' : undefined;
  if (code === 'EEXIST') return 'it exists already: another program may be changing the table';
  if (code === 'ESRCH')
    return 'the virtual service does not exist: it could not be added, or another program removed it';
  return 'destination' in operation
    ? destinationReason(operation.id, operation.destination, code)
    : serviceReason(operation.service, code);
}

function serviceReason(service: VirtualService, code: string): string | undefined {
  const { scheduler, persistenceEngine, persistencePrefix } = service;
  if (code === 'ENOENT') {
    const wanted = [['scheduler', scheduler, ''] as const, ['persistence engine', persistenceEngine, 'pe_'] as const];
    const missing = wanted.filter(([, name]) => name !== '');
    const names = missing.map(([kind, name]) => `the ${kind} ${name}`).join(' or ');
    const modules = missing.map(([, name, prefix]) => `ip_vs_${prefix}${name}`);
    const options = modules.map((module) => `CONFIG_${module.toUpperCase()}`);
    return `the kernel lacks ${names}: load ${modules.join(' and ')} with modprobe (Debian's linux-image packages have what there is; a kernel of your own needs ${options.join(' and ')})`;
  }
  if (
    code === 'EINVAL' &&
    familyOfService(service.id) === 'inet6' &&
    (persistencePrefix < 1 || persistencePrefix > 128)
  ) {
    return `the persistence prefix ${persistencePrefix} is not 1 to 128`;
  }
  return undefined;
}

function destinationReason(id: VirtualServiceId, destination: Destination, code: string): string | undefined {
  const { address, method, tunnel, weight, maxConnections, minConnections } = destination;
  if (code === 'ENOENT') return 'it does not exist: another program may have removed it';
  if (code === 'ERANGE') {
    return minConnections > maxConnections
      ? `its minimum of connections, ${minConnections}, is above its maximum, ${maxConnections}`
      : `its weight, ${weight}, is out of range`;
  }
  if (code !== 'EINVAL') return undefined;
  if (familyOf(address) !== familyOfService(id)) {
    return method === 'tun'
      ? 'a destination of the other address family cannot be had while a sync daemon runs'
      : 'only mode tun leads to the other address family';
  }
  if (method === 'tun' && tunnel.type === 'gue' && tunnel.port === 0) return 'a GUE tunnel needs a port';
  return `the kernel takes only unicast addresses, and none at all while lo is down`;
}

function general(code: string): string {
  if (code === 'EPERM') return 'not permitted: CAP_NET_ADMIN in the initial user namespace is needed';
  const errno = new Map(Object.entries(constants.errno)).get(code);
  return errno === undefined ? 'the kernel refused' : errnoWords(errno);
}
