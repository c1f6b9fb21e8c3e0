import { type VirtualService, type VirtualServiceId, familyOfService, serviceFlags } from '../model/virtual-service.ts';
import type { ServiceKeys } from './service-schema.ts';

const flagBits = {
  fallback: serviceFlags.schedulerFallback,
  port: serviceFlags.schedulerPort,
  'flag-1': serviceFlags.schedulerFallback,
  'flag-2': serviceFlags.schedulerPort,
  'flag-3': serviceFlags.scheduler3,
} as const;

/** The kernel virtual service of one identity that a service makes. */
export function virtualServiceOf(id: VirtualServiceId, keys: ServiceKeys): VirtualService {
  const { persistence, scheduler } = keys;
  const prefix = familyOfService(id) === 'inet' ? (persistence?.prefix ?? 32) : (persistence?.prefix6 ?? 128);
  return {
    id,
    scheduler,
    flags: flagsOf(keys),
    persistenceSeconds: persistence?.timeout ?? 0,
    persistencePrefix: prefix,
    persistenceEngine: persistence?.engine ?? '',
  };
}

/** sh and mh without fallback drop the clients that they hash to a server at weight 0 (ip_vs_sh.c, ip_vs_mh.c). */
function flagsOf({ scheduler, scheduler_flags: flags, persistence, one_packet: onePacket }: ServiceKeys): number {
  const names = flags ?? (scheduler === 'sh' || scheduler === 'mh' ? ['fallback' as const] : []);
  let bits = persistence ? serviceFlags.persistent : 0;
  if (onePacket) bits |= serviceFlags.onePacket;
  for (const name of names) bits |= flagBits[name];
  return bits;
}
