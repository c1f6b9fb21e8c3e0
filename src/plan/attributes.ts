import type { Destination, Tunnel } from '../model/destination.ts';
import type { Timeouts } from '../model/timeouts.ts';
import { type VirtualService, familyOfService, serviceFlags } from '../model/virtual-service.ts';

/** An attribute for people: what it is called, its value in words, and the value that needs no mention. */
export type Attribute = readonly [name: string, words: string, usual?: string];

const flagWords: readonly (readonly [number, string])[] = [
  [serviceFlags.persistent, 'persistent'],
  [serviceFlags.onePacket, 'one-packet'],
  [serviceFlags.schedulerFallback, 'fallback'],
  [serviceFlags.schedulerPort, 'port'],
  [serviceFlags.scheduler3, 'scheduler-3'],
];

/** The attributes of a virtual service that can be edited. */
export function serviceAttributes(service: VirtualService): readonly Attribute[] {
  const host = familyOfService(service.id) === 'inet6' ? 128 : 32;
  return [
    ['scheduler', service.scheduler],
    ['flags', flagsInWords(service.flags), 'none'],
    ['persistence', seconds(service.persistenceSeconds), seconds(0)],
    ['persistence prefix', prefix(service.persistencePrefix), prefix(host)],
    ['persistence engine', service.persistenceEngine || 'none', 'none'],
  ];
}

/** The attributes of a destination that can be edited. */
export function destinationAttributes(destination: Destination): readonly Attribute[] {
  return [
    ['method', destination.method],
    ['tunnel', tunnelInWords(destination.tunnel), 'ipip'],
    ['weight', String(destination.weight)],
    ['max connections', String(destination.maxConnections || 'no limit'), 'no limit'],
    ['min connections', String(destination.minConnections || 'automatic'), 'automatic'],
  ];
}

/** The timeouts of the kernel. */
export function timeoutAttributes(timeouts: Timeouts): readonly Attribute[] {
  return [
    ['tcp', seconds(timeouts.tcpSeconds)],
    ['tcp-fin', seconds(timeouts.tcpFinSeconds)],
    ['udp', seconds(timeouts.udpSeconds)],
  ];
}

function flagsInWords(flags: number): string {
  const words = flagWords.filter(([bit]) => (flags & bit) !== 0).map(([, word]) => word);
  const unknown = flagWords.reduce((rest, [bit]) => rest & ~bit, flags & ~serviceFlags.hashed) >>> 0;
  if (unknown !== 0) words.push(`0x${unknown.toString(16)}`);
  return words.join('+') || 'none';
}

function tunnelInWords({ type, port, checksum }: Tunnel): string {
  return `${type}${port === 0 ? '' : ` port ${port}`}${checksum === 'none' ? '' : ` checksum ${checksum}`}`;
}

function prefix(length: number): string {
  return length < 0 ? 'a mask with gaps' : `/${length}`;
}

function seconds(count: number): string {
  return `${count} s`;
}
