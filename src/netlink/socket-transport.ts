import {
  bindSocket,
  closeDescriptor,
  openSocket,
  receiveNow,
  sendInBackground,
  sendNow,
  setSocketOption,
  waitReadable,
} from './libc.ts';
import { littleEndian } from './byte-order.ts';
import { NetlinkError } from './netlink-error.ts';
import { AF_NETLINK } from './protocol.ts';
import { tracedTransport } from './traced-transport.ts';
import type { Transport } from './transport.ts';

const SOCK_RAW = 3;
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const SO_RCVBUF = 8;
const SO_SNDBUFFORCE = 32;
const SO_RCVBUFFORCE = 33;
const SOL_NETLINK = 270;
const NETLINK_CAP_ACK = 10;
const NETLINK_EXT_ACK = 11;
const EMSGSIZE = 90;

/** The kernel cuts dumps to at most 32 KiB a datagram (af_netlink.c); one size always, as it remembers the largest ever seen. */
const receiveBytes = 1 << 16;
const sendBufferBytes = 1 << 20;
/** Room for the refusals of a whole batch: each takes about 768 bytes of it. */
const receiveBufferBytes = 8 << 20;

/** Opens a netlink socket in this thread's network namespace. @param protocol - such as `NETLINK_GENERIC` @throws {NetlinkError} */
export function openNetlinkSocket(protocol: number): Transport {
  const fd = openSocket(AF_NETLINK, SOCK_RAW, protocol);
  try {
    const address = new Uint8Array(12);
    new DataView(address.buffer).setUint16(0, AF_NETLINK, littleEndian);
    bindSocket(fd, address);
  } catch (error) {
    closeDescriptor(fd);
    throw error;
  }
  setSocketOption(fd, SOL_NETLINK, NETLINK_CAP_ACK, 1);
  setSocketOption(fd, SOL_NETLINK, NETLINK_EXT_ACK, 1);
  enlarge(fd, SO_SNDBUFFORCE, SO_SNDBUF, sendBufferBytes);
  enlarge(fd, SO_RCVBUFFORCE, SO_RCVBUF, receiveBufferBytes);
  const transport = transportOf(fd);
  if (process.env['IPVSD_NETLINK_DEBUG'] !== '1') return transport;
  return tracedTransport(transport, (line) => process.stderr.write(`${line}\n`));
}

/** Without CAP_NET_ADMIN the kernel allows only up to net.core.*mem_max. */
function enlarge(fd: number, forced: number, allowed: number, bytes: number): void {
  if (!setSocketOption(fd, SOL_SOCKET, forced, bytes)) setSocketOption(fd, SOL_SOCKET, allowed, bytes);
}

function transportOf(fd: number): Transport {
  const buffer = new Uint8Array(receiveBytes);
  return {
    send: (datagram) => sendInBackground(fd, datagram),
    sendNow: (datagram) => {
      sendNow(fd, datagram);
    },
    receive: () => {
      const length = receiveNow(fd, buffer);
      if (length === undefined) return undefined;
      if (length > buffer.length) throw new NetlinkError('receive from the kernel', EMSGSIZE);
      return buffer.subarray(0, length);
    },
    wait: (timeoutMs) => waitReadable(fd, timeoutMs),
    close: () => {
      closeDescriptor(fd);
    },
  };
}
