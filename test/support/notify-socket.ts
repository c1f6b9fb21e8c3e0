import koffi from 'koffi';
import { setInterval } from 'node:timers';

const libc = koffi.load('libc.so.6');
const socket = libc.func('int socket(int, int, int)') as (...args: number[]) => number;
const bind = libc.func('int bind(int, const void *, uint)') as (fd: number, address: Buffer, length: number) => number;
const recv = libc.func('long recv(int, void *, ulong, int)') as (
  fd: number,
  into: Buffer,
  length: number,
  flags: number,
) => number;
const close = libc.func('int close(int)') as (fd: number) => number;

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;

/** What systemd would hear: the datagrams that came, in order. */
export interface NotifySocket {
  readonly messages: readonly string[];
  close(): void;
}

/** Listens as systemd does on the socket that NOTIFY_SOCKET names (sd_notify(3)). @throws {Error} when it cannot bind */
export function listenNotify(path: string): NotifySocket {
  const fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  const address = Buffer.alloc(110);
  address.writeUInt16LE(AF_UNIX);
  address.write(path, 2);
  if (bind(fd, address, address.length) !== 0) throw new Error(`cannot bind to ${path}`);
  const messages: string[] = [];
  const into = Buffer.alloc(8192);
  const timer = setInterval(() => {
    for (let length = recv(fd, into, into.length, MSG_DONTWAIT); length >= 0;) {
      messages.push(into.toString('utf8', 0, length));
      length = recv(fd, into, into.length, MSG_DONTWAIT);
    }
  }, 10);
  const end = (): void => {
    clearInterval(timer);
    close(fd);
  };
  return { messages, close: end };
}
