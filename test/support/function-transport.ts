import type { Transport } from '../../src/netlink/transport.ts';

/** A netlink socket whose kernel is a function: a datagram of requests in, datagrams of answers out. Counts how often it is closed. */
export function functionTransport(
  kernel: (datagram: Uint8Array) => readonly Uint8Array[],
): Transport & { closed: number } {
  const waiting: Uint8Array[] = [];
  const sendNow = (datagram: Uint8Array) => {
    waiting.push(...kernel(datagram));
  };
  const transport = {
    closed: 0,
    send: (datagram: Uint8Array) => {
      sendNow(datagram);
      return Promise.resolve();
    },
    sendNow,
    receive: () => waiting.shift(),
    wait: () => Promise.resolve(waiting.length > 0),
    close: () => {
      transport.closed += 1;
    },
  };
  return transport;
}
