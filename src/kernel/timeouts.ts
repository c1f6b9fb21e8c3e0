import type { Timeouts } from '../model/timeouts.ts';
import { type Message, genericAttributes } from '../netlink/message-reader.ts';
import type { MessageWriter } from '../netlink/message-writer.ts';
import {
  IPVS_CMD_ATTR_TIMEOUT_TCP,
  IPVS_CMD_ATTR_TIMEOUT_TCP_FIN,
  IPVS_CMD_ATTR_TIMEOUT_UDP,
} from './ipvs-protocol.ts';

/** Writes the attributes of `IPVS_CMD_SET_CONFIG`. */
export function writeTimeouts(writer: MessageWriter, timeouts: Timeouts): void {
  writer.u32(IPVS_CMD_ATTR_TIMEOUT_TCP, timeouts.tcpSeconds);
  writer.u32(IPVS_CMD_ATTR_TIMEOUT_TCP_FIN, timeouts.tcpFinSeconds);
  writer.u32(IPVS_CMD_ATTR_TIMEOUT_UDP, timeouts.udpSeconds);
}

/** Reads an answer to `IPVS_CMD_GET_CONFIG`. A protocol that the kernel lacks has 0. @throws {NetlinkError} when it is malformed */
export function readTimeouts(reply: Message): Timeouts {
  const timeouts = { tcpSeconds: 0, tcpFinSeconds: 0, udpSeconds: 0 };
  const attributes = genericAttributes(reply);
  while (attributes.next()) {
    if (attributes.type === IPVS_CMD_ATTR_TIMEOUT_TCP) timeouts.tcpSeconds = attributes.u32();
    if (attributes.type === IPVS_CMD_ATTR_TIMEOUT_TCP_FIN) timeouts.tcpFinSeconds = attributes.u32();
    if (attributes.type === IPVS_CMD_ATTR_TIMEOUT_UDP) timeouts.udpSeconds = attributes.u32();
  }
  attributes.finish('read the timeouts');
  return timeouts;
}
