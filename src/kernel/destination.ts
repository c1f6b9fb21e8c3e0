import { type Family, familyOf } from '../model/address.ts';
import {
  type Destination,
  type ForwardMethod,
  type Tunnel,
  type TunnelChecksum,
  type TunnelType,
  ipip,
} from '../model/destination.ts';
import type { LiveDestination } from '../model/state.ts';
import type { Statistics } from '../model/statistics.ts';
import type { AttributeReader } from '../netlink/attribute-reader.ts';
import { littleEndian } from '../netlink/byte-order.ts';
import { type Message, genericAttributes } from '../netlink/message-reader.ts';
import type { MessageWriter } from '../netlink/message-writer.ts';
import { familyNumber, familyOfNumber, readAddress, writeAddress } from './address-bytes.ts';
import {
  IPVS_CMD_ATTR_DEST,
  IPVS_DEST_ATTR_ACTIVE_CONNS,
  IPVS_DEST_ATTR_ADDR,
  IPVS_DEST_ATTR_ADDR_FAMILY,
  IPVS_DEST_ATTR_FWD_METHOD,
  IPVS_DEST_ATTR_INACT_CONNS,
  IPVS_DEST_ATTR_L_THRESH,
  IPVS_DEST_ATTR_PERSIST_CONNS,
  IPVS_DEST_ATTR_PORT,
  IPVS_DEST_ATTR_STATS64,
  IPVS_DEST_ATTR_TUN_FLAGS,
  IPVS_DEST_ATTR_TUN_PORT,
  IPVS_DEST_ATTR_TUN_TYPE,
  IPVS_DEST_ATTR_U_THRESH,
  IPVS_DEST_ATTR_WEIGHT,
  IP_VS_CONN_F_FWD_MASK,
} from './ipvs-protocol.ts';
import { readStatistics } from './statistics.ts';
import { hasUsualLayout, usualOffsets } from './usual-destination.ts';

const operation = 'read a destination';

/** In the order of `IP_VS_CONN_F_*`, `IP_VS_CONN_F_TUNNEL_TYPE_*` and `IP_VS_TUNNEL_ENCAP_FLAG_*`. */
const methods: readonly ForwardMethod[] = ['nat', 'local', 'tun', 'dr', 'bypass'];
const tunnelTypes: readonly TunnelType[] = ['ipip', 'gue', 'gre'];
const checksums: readonly TunnelChecksum[] = ['none', 'full', 'remote'];

/** Writes the nest that names a destination of a virtual service. */
export function writeDestinationId(writer: MessageWriter, destination: Destination): void {
  const nest = writer.beginNest(IPVS_CMD_ATTR_DEST);
  writeIdentity(writer, destination);
  writer.u16(IPVS_DEST_ATTR_ADDR_FAMILY, familyNumber(familyOf(destination.address)));
  writer.endNest(nest);
}

/** Writes the nest of a whole destination. */
export function writeDestination(writer: MessageWriter, destination: Destination): void {
  const nest = writer.beginNest(IPVS_CMD_ATTR_DEST);
  writeIdentity(writer, destination);
  writer.u32(IPVS_DEST_ATTR_FWD_METHOD, methods.indexOf(destination.method));
  writer.u32(IPVS_DEST_ATTR_WEIGHT, destination.weight);
  writer.u32(IPVS_DEST_ATTR_U_THRESH, destination.maxConnections);
  writer.u32(IPVS_DEST_ATTR_L_THRESH, destination.minConnections);
  writer.u16(IPVS_DEST_ATTR_ADDR_FAMILY, familyNumber(familyOf(destination.address)));
  // Of other methods the kernel would check the tunnel all the same, and refuse GUE without a port.
  if (destination.method === 'tun') writeTunnel(writer, destination.tunnel);
  writer.endNest(nest);
}

function writeIdentity(writer: MessageWriter, { address, port }: Destination): void {
  writer.bytes16(IPVS_DEST_ATTR_ADDR, writeAddress, address);
  writer.u16be(IPVS_DEST_ATTR_PORT, port);
}

function writeTunnel(writer: MessageWriter, { type, port, checksum }: Tunnel): void {
  writer.u8(IPVS_DEST_ATTR_TUN_TYPE, tunnelTypes.indexOf(type));
  writer.u16be(IPVS_DEST_ATTR_TUN_PORT, port);
  writer.u16(IPVS_DEST_ATTR_TUN_FLAGS, checksums.indexOf(checksum));
}

/**
 * Reads an answer to `IPVS_CMD_GET_DEST`.
 * @param serviceFamily - stands in for the destination's own, which kernels before 3.18 do not send
 * @returns undefined when there is none in it
 * @throws {NetlinkError} when it is malformed
 */
export function readDestination(
  reply: Message,
  serviceFamily: Family,
  withStatistics: boolean,
): LiveDestination | undefined {
  const attributes = genericAttributes(reply);
  let destination: LiveDestination | undefined;
  while (attributes.next()) {
    if (attributes.type === IPVS_CMD_ATTR_DEST) {
      const isUsual = !withStatistics && hasUsualLayout(attributes);
      destination = isUsual
        ? readUsual(attributes.view, attributes.offset, serviceFamily)
        : readNest(attributes.nested(), serviceFamily, withStatistics);
    }
  }
  attributes.finish(operation);
  return destination;
}

/** Reads a nest that has the usual layout. */
function readUsual(view: DataView, start: number, serviceFamily: Family): LiveDestination {
  const u32 = (offset: number): number => view.getUint32(start + offset, littleEndian);
  const family = familyOfNumber(view.getUint16(start + usualOffsets.family, littleEndian)) ?? serviceFamily;
  return {
    address: readAddress(family, view, start + usualOffsets.address),
    port: view.getUint16(start + usualOffsets.port),
    method: methodOf(u32(usualOffsets.method)),
    tunnel: tunnelOf(
      view.getUint8(start + usualOffsets.tunnelType),
      view.getUint16(start + usualOffsets.tunnelPort),
      view.getUint16(start + usualOffsets.tunnelFlags, littleEndian),
    ),
    weight: u32(usualOffsets.weight),
    maxConnections: u32(usualOffsets.maxConnections),
    minConnections: u32(usualOffsets.minConnections),
    activeConnections: u32(usualOffsets.active),
    inactiveConnections: u32(usualOffsets.inactive),
    persistentConnections: u32(usualOffsets.persistent),
  };
}

interface Fields {
  family: Family;
  addressOffset: number;
  port: number;
  method: number;
  weight: number;
  maxConnections: number;
  minConnections: number;
  active: number;
  inactive: number;
  persistent: number;
  tunnelType: number;
  tunnelPort: number;
  tunnelFlags: number;
  statistics: Statistics | undefined;
}

function readNest(attributes: AttributeReader, family: Family, withStatistics: boolean): LiveDestination | undefined {
  const fields: Fields = {
    family,
    addressOffset: -1,
    port: 0,
    method: 0,
    weight: 0,
    maxConnections: 0,
    minConnections: 0,
    active: 0,
    inactive: 0,
    persistent: 0,
    tunnelType: 0,
    tunnelPort: 0,
    tunnelFlags: 0,
    statistics: undefined,
  };
  while (attributes.next()) readField(fields, attributes, withStatistics);
  attributes.finish(operation);
  if (fields.addressOffset < 0) return undefined;
  const destination: LiveDestination = {
    address: readAddress(fields.family, attributes.view, fields.addressOffset),
    port: fields.port,
    method: methodOf(fields.method),
    tunnel: tunnelOf(fields.tunnelType, fields.tunnelPort, fields.tunnelFlags),
    weight: fields.weight,
    maxConnections: fields.maxConnections,
    minConnections: fields.minConnections,
    activeConnections: fields.active,
    inactiveConnections: fields.inactive,
    persistentConnections: fields.persistent,
  };
  return fields.statistics === undefined ? destination : { ...destination, statistics: fields.statistics };
}

/** The kernel stores 5 to 7 too, and lets their packets pass unbalanced, as those of bypass. */
function methodOf(bits: number): ForwardMethod {
  return methods[bits & IP_VS_CONN_F_FWD_MASK] ?? 'bypass';
}

/** One object stands for all plain tunnels, which is nearly all destinations. */
function tunnelOf(type: number, port: number, flags: number): Tunnel {
  if (type === 0 && port === 0 && flags === 0) return ipip;
  return { type: tunnelTypes[type] ?? 'ipip', port, checksum: checksums[flags] ?? 'none' };
}

function readField(fields: Fields, attribute: AttributeReader, withStatistics: boolean): void {
  switch (attribute.type) {
    case IPVS_DEST_ATTR_ADDR:
      fields.addressOffset = attribute.block(16);
      break;
    case IPVS_DEST_ATTR_PORT:
      fields.port = attribute.u16be();
      break;
    case IPVS_DEST_ATTR_FWD_METHOD:
      fields.method = attribute.u32();
      break;
    case IPVS_DEST_ATTR_WEIGHT:
      fields.weight = attribute.u32();
      break;
    case IPVS_DEST_ATTR_U_THRESH:
      fields.maxConnections = attribute.u32();
      break;
    case IPVS_DEST_ATTR_L_THRESH:
      fields.minConnections = attribute.u32();
      break;
    case IPVS_DEST_ATTR_ACTIVE_CONNS:
      fields.active = attribute.u32();
      break;
    case IPVS_DEST_ATTR_INACT_CONNS:
      fields.inactive = attribute.u32();
      break;
    case IPVS_DEST_ATTR_PERSIST_CONNS:
      fields.persistent = attribute.u32();
      break;
    case IPVS_DEST_ATTR_ADDR_FAMILY:
      fields.family = familyOfNumber(attribute.u16()) ?? fields.family;
      break;
    case IPVS_DEST_ATTR_TUN_TYPE:
      fields.tunnelType = attribute.u8();
      break;
    case IPVS_DEST_ATTR_TUN_PORT:
      fields.tunnelPort = attribute.u16be();
      break;
    case IPVS_DEST_ATTR_TUN_FLAGS:
      fields.tunnelFlags = attribute.u16();
      break;
    case IPVS_DEST_ATTR_STATS64:
      if (withStatistics) fields.statistics = readStatistics(attribute.nested(), operation);
      break;
  }
}
