import type { Transport } from './transport.ts';

/** A transport that shows every datagram in hexadecimal. @param show - gets one line each */
export function tracedTransport(transport: Transport, show: (line: string) => void): Transport {
  const sent = (bytes: Uint8Array): Uint8Array => {
    show(`netlink > ${Buffer.from(bytes).toString('hex')}`);
    return bytes;
  };
  return {
    ...transport,
    send: (datagram) => transport.send(sent(datagram)),
    sendNow: (datagram) => {
      transport.sendNow(sent(datagram));
    },
    receive: () => {
      const datagram = transport.receive();
      if (datagram !== undefined) show(`netlink < ${Buffer.from(datagram).toString('hex')}`);
      return datagram;
    },
  };
}
