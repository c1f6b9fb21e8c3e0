import { createSocket } from 'node:dgram';
import type { Namespace } from '../../lab/namespace.ts';
import { inNamespace } from '../../lab/network-namespace.ts';

/** A UDP client in a namespace. */
export interface DatagramClient {
  /** Sends one datagram and waits for the answer; undefined when none comes in time. */
  ask(host: string, port: number, text?: string): Promise<string | undefined>;
  close(): void;
}

/** Opens a UDP client in a namespace: one socket, so one source port for all it sends. */
export async function openDatagramClient(namespace: Namespace, family: 'inet' | 'inet6'): Promise<DatagramClient> {
  const socket = createSocket({
    type: family === 'inet' ? 'udp4' : 'udp6',
    // at once, so that the socket is made while this thread is in the namespace
    lookup: (host, _options, done) => {
      done(null, host, 0);
    },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).once('listening', resolve);
    inNamespace(namespace.name, () => socket.bind(0, family === 'inet' ? '0.0.0.0' : '::'));
  });
  const ask = (host: string, port: number, text = 'hello'): Promise<string | undefined> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        socket.removeAllListeners('message');
        resolve(undefined);
      }, 3000);
      socket.once('message', (message) => {
        clearTimeout(timer);
        resolve(message.toString());
      });
      socket.send(text, port, host);
    });
  return { ask, close: () => socket.close() };
}
