import type { Family } from '../model/address.ts';
import type { Statistics } from '../model/statistics.ts';
import {
  type Protocol,
  type VirtualService,
  type VirtualServiceId,
  familyOfService,
  serviceFlags,
} from '../model/virtual-service.ts';
import type { AttributeReader } from '../netlink/attribute-reader.ts';
import { type Message, genericAttributes } from '../netlink/message-reader.ts';
import type { MessageWriter } from '../netlink/message-writer.ts';
import { familyNumber, familyOfNumber, readAddress, writeAddress } from './address-bytes.ts';
import {
  IPVS_CMD_ATTR_SERVICE,
  IPVS_SVC_ATTR_ADDR,
  IPVS_SVC_ATTR_AF,
  IPVS_SVC_ATTR_FLAGS,
  IPVS_SVC_ATTR_FWMARK,
  IPVS_SVC_ATTR_NETMASK,
  IPVS_SVC_ATTR_PE_NAME,
  IPVS_SVC_ATTR_PORT,
  IPVS_SVC_ATTR_PROTOCOL,
  IPVS_SVC_ATTR_SCHED_NAME,
  IPVS_SVC_ATTR_STATS64,
  IPVS_SVC_ATTR_TIMEOUT,
} from './ipvs-protocol.ts';
import { readStatistics } from './statistics.ts';

const operation = 'read a virtual service';
const allFlags = 0xffffffff;

const protocolNumbers: Readonly<Record<Protocol, number>> = { tcp: 6, udp: 17, sctp: 132 };
const protocols = new Map<number, Protocol>([
  [6, 'tcp'],
  [17, 'udp'],
  [132, 'sctp'],
]);

/** Writes the nest that names a virtual service. */
export function writeServiceId(writer: MessageWriter, id: VirtualServiceId): void {
  const nest = writer.beginNest(IPVS_CMD_ATTR_SERVICE);
  writeIdentity(writer, id);
  writer.endNest(nest);
}

/** Writes the nest of a whole virtual service; what it lacks (the persistence engine) the kernel removes. */
export function writeService(writer: MessageWriter, service: VirtualService): void {
  const nest = writer.beginNest(IPVS_CMD_ATTR_SERVICE);
  writeIdentity(writer, service.id);
  writer.text(IPVS_SVC_ATTR_SCHED_NAME, service.scheduler);
  writer.u32Pair(IPVS_SVC_ATTR_FLAGS, service.flags, allFlags);
  writer.u32(IPVS_SVC_ATTR_TIMEOUT, service.persistenceSeconds);
  writeNetmask(writer, familyOfService(service.id), service.persistencePrefix);
  if (service.persistenceEngine !== '') writer.text(IPVS_SVC_ATTR_PE_NAME, service.persistenceEngine);
  writer.endNest(nest);
}

function writeIdentity(writer: MessageWriter, id: VirtualServiceId): void {
  writer.u16(IPVS_SVC_ATTR_AF, familyNumber(familyOfService(id)));
  if ('fwmark' in id) {
    writer.u32(IPVS_SVC_ATTR_FWMARK, id.fwmark);
    return;
  }
  writer.u16(IPVS_SVC_ATTR_PROTOCOL, protocolNumbers[id.protocol]);
  writer.bytes16(IPVS_SVC_ATTR_ADDR, writeAddress, id.address);
  writer.u16be(IPVS_SVC_ATTR_PORT, id.port);
}

/** The attribute means two things (ip_vs_ctl.c:ip_vs_genl_parse_service): IPv4 a mask in network order, IPv6 a prefix length in the host's. */
function writeNetmask(writer: MessageWriter, family: Family, prefix: number): void {
  if (family === 'inet6') writer.u32(IPVS_SVC_ATTR_NETMASK, prefix);
  else writer.u32be(IPVS_SVC_ATTR_NETMASK, maskOf(prefix));
}

function maskOf(prefix: number): number {
  return prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
}

/** A virtual service as reported, with its statistics when they were asked for. */
export interface ReportedService {
  readonly service: VirtualService;
  readonly statistics?: Statistics;
}

/**
 * Reads an answer to `IPVS_CMD_GET_SERVICE`.
 * @returns undefined for a service of a family or protocol that IPVS stores but does not balance
 * @throws {NetlinkError} when it is malformed
 */
export function readService(reply: Message, withStatistics: boolean): ReportedService | undefined {
  const attributes = genericAttributes(reply);
  let reported: ReportedService | undefined;
  while (attributes.next()) {
    if (attributes.type === IPVS_CMD_ATTR_SERVICE) reported = readNest(attributes.nested(), withStatistics);
  }
  attributes.finish(operation);
  return reported;
}

interface Fields {
  family: Family | undefined;
  protocol: Protocol | undefined;
  addressOffset: number;
  port: number;
  fwmark: number | undefined;
  /** As an IPv4 mask, and as an IPv6 prefix length: which it is depends on the family. */
  mask: number;
  prefix: number;
  scheduler: string;
  flags: number;
  seconds: number;
  engine: string;
  statistics: Statistics | undefined;
}

function readNest(attributes: AttributeReader, withStatistics: boolean): ReportedService | undefined {
  const fields: Fields = {
    family: undefined,
    protocol: undefined,
    addressOffset: -1,
    port: 0,
    fwmark: undefined,
    mask: allFlags,
    prefix: 128,
    scheduler: '',
    flags: 0,
    seconds: 0,
    engine: '',
    statistics: undefined,
  };
  while (attributes.next()) readField(fields, attributes, withStatistics);
  attributes.finish(operation);
  const id = identityOf(fields, attributes.view);
  if (id === undefined) return undefined;
  const service: VirtualService = {
    id,
    scheduler: fields.scheduler,
    flags: fields.flags,
    persistenceSeconds: fields.seconds,
    persistencePrefix: familyOfService(id) === 'inet6' ? fields.prefix : prefixOf(fields.mask),
    persistenceEngine: fields.engine,
  };
  return fields.statistics === undefined ? { service } : { service, statistics: fields.statistics };
}

function readField(fields: Fields, attribute: AttributeReader, withStatistics: boolean): void {
  switch (attribute.type) {
    case IPVS_SVC_ATTR_AF:
      fields.family = familyOfNumber(attribute.u16());
      break;
    case IPVS_SVC_ATTR_PROTOCOL:
      fields.protocol = protocols.get(attribute.u16());
      break;
    case IPVS_SVC_ATTR_ADDR:
      fields.addressOffset = attribute.block(16);
      break;
    case IPVS_SVC_ATTR_PORT:
      fields.port = attribute.u16be();
      break;
    case IPVS_SVC_ATTR_FWMARK:
      fields.fwmark = attribute.u32();
      break;
    case IPVS_SVC_ATTR_SCHED_NAME:
      fields.scheduler = attribute.text();
      break;
    case IPVS_SVC_ATTR_FLAGS:
      // The kernel sets HASHED while the service is in its tables (ip_vs_ctl.c:ip_vs_svc_hash): no attribute of ours.
      fields.flags = attribute.u32() & ~serviceFlags.hashed;
      break;
    case IPVS_SVC_ATTR_TIMEOUT:
      fields.seconds = attribute.u32();
      break;
    case IPVS_SVC_ATTR_NETMASK:
      fields.mask = attribute.u32be();
      fields.prefix = attribute.u32();
      break;
    case IPVS_SVC_ATTR_PE_NAME:
      fields.engine = attribute.text();
      break;
    case IPVS_SVC_ATTR_STATS64:
      if (withStatistics) fields.statistics = readStatistics(attribute.nested(), operation);
      break;
  }
}

function identityOf(fields: Fields, view: DataView): VirtualServiceId | undefined {
  const { family, protocol, addressOffset, port, fwmark } = fields;
  if (family === undefined) return undefined;
  if (fwmark !== undefined) return { fwmark, family };
  if (protocol === undefined || addressOffset < 0) return undefined;
  return { protocol, address: readAddress(family, view, addressOffset), port };
}

/** The prefix length of an IPv4 mask; -1 when its ones are not all in front (the kernel takes such). */
function prefixOf(mask: number): number {
  const prefix = Math.clz32(~mask);
  return maskOf(prefix) === mask ? prefix : -1;
}
