import { AttributeReader } from './attribute-reader.ts';
import { littleEndian } from './byte-order.ts';
import { NetlinkError } from './netlink-error.ts';
import { GENL_HDRLEN, NLMSG_HDRLEN } from './protocol.ts';

const EBADMSG = 74;

/** One message of a datagram from the kernel, valid until the next datagram is received. */
export interface Message {
  readonly type: number;
  readonly flags: number;
  readonly sequence: number;
  readonly view: DataView;
  /** Where the message's payload (after `struct nlmsghdr`) begins and ends in the view. */
  readonly start: number;
  readonly end: number;
}

/** Calls back for each message of a datagram. @throws {NetlinkError} when the datagram is cut or malformed */
export function readMessages(datagram: Uint8Array, visit: (message: Message) => void): void {
  const view = new DataView(datagram.buffer, datagram.byteOffset, datagram.byteLength);
  for (let start = 0; start < view.byteLength;) {
    const left = view.byteLength - start;
    const length = left < NLMSG_HDRLEN ? 0 : view.getUint32(start, littleEndian);
    if (length < NLMSG_HDRLEN || length > left) {
      throw malformed(`message of ${length} bytes where ${left} are left`);
    }
    visit({
      type: view.getUint16(start + 4, littleEndian),
      flags: view.getUint16(start + 6, littleEndian),
      sequence: view.getUint32(start + 8, littleEndian),
      view,
      start: start + NLMSG_HDRLEN,
      end: start + length,
    });
    start += (length + 3) & ~3;
  }
}

/** The command of a generic netlink message (`struct genlmsghdr`). @throws {NetlinkError} when it is cut */
export function genericCommand(message: Message): number {
  if (message.end - message.start < GENL_HDRLEN) throw malformed('generic netlink header is cut');
  return message.view.getUint8(message.start);
}

/** The attributes of a generic netlink message. */
export function genericAttributes(message: Message): AttributeReader {
  return new AttributeReader(message.view, message.start + GENL_HDRLEN, message.end);
}

function malformed(detail: string): NetlinkError {
  return new NetlinkError('read a message of the kernel', EBADMSG, { detail });
}
