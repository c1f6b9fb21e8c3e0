import { BlockList } from 'node:net';
import { type Address, familyOf } from '../model/address.ts';

/**
 * What ip_vs_new_dest() of ip_vs_ctl.c refuses: IPv4 that is neither unicast nor local (inet_addr_type: zero, limited
 * broadcast, multicast, the broadcast address of lo), and IPv6 that is not unicast (ipv6_addr_type: `::`, mapped,
 * multicast) or only link-local.
 */
const refused = new BlockList();
refused.addAddress('0.0.0.0');
refused.addSubnet('224.0.0.0', 4);
refused.addAddress('255.255.255.255');
refused.addAddress('127.255.255.255');
refused.addAddress('::', 'ipv6');
refused.addSubnet('fe80::', 10, 'ipv6');
refused.addSubnet('ff00::', 8, 'ipv6');

/** Whether the kernel takes this address for a destination, on a host that has no address but those of `lo`. */
export function isForwardable(address: Address): boolean {
  const isMapped = address.startsWith('::ffff:') && address.includes('.');
  return !isMapped && !refused.check(address, familyOf(address) === 'inet6' ? 'ipv6' : 'ipv4');
}
