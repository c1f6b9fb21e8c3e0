import { type Address, type Family, endpoint, familyOf } from './address.ts';

/** Transport protocols that IPVS balances (`IPPROTO_TCP` 6, `IPPROTO_UDP` 17, `IPPROTO_SCTP` 132). */
export type Protocol = 'tcp' | 'udp' | 'sctp';

/** What identifies a virtual service in the kernel. It can never be edited: another identity is another service. */
export type VirtualServiceId =
  | { readonly protocol: Protocol; readonly address: Address; readonly port: number }
  | { readonly fwmark: number; readonly family: Family };

/** The identity as a string, for maps and for people: `tcp 192.0.2.1:80`, `fwmark 7 inet6`. */
export type VirtualServiceKey = string;

/** A virtual service of the kernel: its identity and every attribute that can be edited in place. */
export interface VirtualService {
  readonly id: VirtualServiceId;
  /** Scheduler name, at most 15 characters, such as `wlc`; `none` schedules nothing. */
  readonly scheduler: string;
  /** Bit set of `IP_VS_SVC_F_*` (see `serviceFlags`), without the kernel-owned HASHED bit. */
  readonly flags: number;
  /** Persistence timeout in seconds; takes effect only with `serviceFlags.persistent`. */
  readonly persistenceSeconds: number;
  /** Prefix length by which clients are grouped for persistence: 0..32 or 1..128; -1 for a non-contiguous IPv4 mask. */
  readonly persistencePrefix: number;
  /** Persistence engine such as `sip`; empty for none. */
  readonly persistenceEngine: string;
}

/** `IP_VS_SVC_F_*` of include/uapi/linux/ip_vs.h; the scheduler's own flags are given the names that sh and mh give them. */
export const serviceFlags = {
  persistent: 0x01,
  hashed: 0x02,
  onePacket: 0x04,
  schedulerFallback: 0x08,
  schedulerPort: 0x10,
  scheduler3: 0x20,
} as const;

/** The family of a service: of its address, or the one that a fwmark service was made for. */
export function familyOfService(id: VirtualServiceId): Family {
  return 'fwmark' in id ? id.family : familyOf(id.address);
}

/** The key of an identity. */
export function virtualServiceKey(id: VirtualServiceId): VirtualServiceKey {
  return 'fwmark' in id ? `fwmark ${id.fwmark} ${id.family}` : `${id.protocol} ${endpoint(id.address, id.port)}`;
}

/** Whether two virtual services of the same identity have equal attributes. */
export function sameVirtualService(a: VirtualService, b: VirtualService): boolean {
  return (
    a.scheduler === b.scheduler &&
    a.flags === b.flags &&
    a.persistenceSeconds === b.persistenceSeconds &&
    a.persistencePrefix === b.persistencePrefix &&
    a.persistenceEngine === b.persistenceEngine
  );
}
