import type { AttributeReader } from '../netlink/attribute-reader.ts';
import { littleEndian } from '../netlink/byte-order.ts';
import { NLA_HDRLEN } from '../netlink/protocol.ts';
import {
  IPVS_DEST_ATTR_ACTIVE_CONNS,
  IPVS_DEST_ATTR_ADDR,
  IPVS_DEST_ATTR_ADDR_FAMILY,
  IPVS_DEST_ATTR_FWD_METHOD,
  IPVS_DEST_ATTR_INACT_CONNS,
  IPVS_DEST_ATTR_L_THRESH,
  IPVS_DEST_ATTR_PERSIST_CONNS,
  IPVS_DEST_ATTR_PORT,
  IPVS_DEST_ATTR_TUN_FLAGS,
  IPVS_DEST_ATTR_TUN_PORT,
  IPVS_DEST_ATTR_TUN_TYPE,
  IPVS_DEST_ATTR_U_THRESH,
  IPVS_DEST_ATTR_WEIGHT,
} from './ipvs-protocol.ts';

/** The order and sizes in which kernels since 5.3 send a destination (ip_vs_ctl.c:ip_vs_genl_fill_dest). */
const order: readonly (readonly [type: number, length: number])[] = [
  [IPVS_DEST_ATTR_ADDR, 16],
  [IPVS_DEST_ATTR_PORT, 2],
  [IPVS_DEST_ATTR_FWD_METHOD, 4],
  [IPVS_DEST_ATTR_WEIGHT, 4],
  [IPVS_DEST_ATTR_TUN_TYPE, 1],
  [IPVS_DEST_ATTR_TUN_PORT, 2],
  [IPVS_DEST_ATTR_TUN_FLAGS, 2],
  [IPVS_DEST_ATTR_U_THRESH, 4],
  [IPVS_DEST_ATTR_L_THRESH, 4],
  [IPVS_DEST_ATTR_ACTIVE_CONNS, 4],
  [IPVS_DEST_ATTR_INACT_CONNS, 4],
  [IPVS_DEST_ATTR_PERSIST_CONNS, 4],
  [IPVS_DEST_ATTR_ADDR_FAMILY, 2],
];

/** Where the payloads are in such a nest. All but the address take one word. */
export const usualOffsets = {
  address: 4,
  port: 24,
  method: 32,
  weight: 40,
  tunnelType: 48,
  tunnelPort: 56,
  tunnelFlags: 64,
  maxConnections: 72,
  minConnections: 80,
  active: 88,
  inactive: 96,
  persistent: 104,
  family: 112,
} as const;

const usualLength = 116;

/** The header words that such a nest has, in order, and where. */
const offsets = Object.values(usualOffsets).map((offset) => offset - NLA_HDRLEN);
const headers = order.map(([type, length]) => {
  const size = NLA_HDRLEN + length;
  return (littleEndian ? (type << 16) | size : (size << 16) | type) >>> 0;
});

/**
 * Whether a destination's nest has its attributes where kernels usually put them, so that they can be read in place.
 * A table has a hundred thousand of them; walking through their attributes takes three times as long.
 */
export function hasUsualLayout(nest: AttributeReader): boolean {
  if (nest.length < usualLength) return false;
  for (let index = 0; index < headers.length; index++) {
    const offset = nest.offset + (offsets[index] ?? 0);
    if (nest.view.getUint32(offset, littleEndian) !== headers[index]) return false;
  }
  return true;
}
