import { type Message, genericAttributes } from '../netlink/message-reader.ts';
import { IPVS_INFO_ATTR_CONN_TAB_SIZE, IPVS_INFO_ATTR_VERSION } from './ipvs-protocol.ts';
import type { KernelInfo } from './kernel.ts';

/** Reads an answer to `IPVS_CMD_GET_INFO`. @param release - the kernel's, from uname(2) @throws {NetlinkError} when it is malformed */
export function readInfo(reply: Message, release: string): KernelInfo {
  let version = 0;
  let connectionTableSize = 0;
  const attributes = genericAttributes(reply);
  while (attributes.next()) {
    if (attributes.type === IPVS_INFO_ATTR_VERSION) version = attributes.u32();
    if (attributes.type === IPVS_INFO_ATTR_CONN_TAB_SIZE) connectionTableSize = attributes.u32();
  }
  attributes.finish('read the version of IPVS');
  // Three bytes, as NVERSION() of ip_vs.h packs them.
  const ipvsVersion = `${(version >> 16) & 0xff}.${(version >> 8) & 0xff}.${version & 0xff}`;
  return { release, ipvsVersion, connectionTableSize };
}
