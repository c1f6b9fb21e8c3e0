import { createRequire } from 'node:module';
import { constants } from 'node:os';
import type * as koffi from 'koffi';
import { littleEndian } from './byte-order.ts';
import { NetlinkError } from './netlink-error.ts';

/** An open file descriptor. */
export type FileDescriptor = number;

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0x80000;
const MSG_TRUNC = 0x20;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const POLLIN = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;

/** Loads libc on the first call only, so that commands which talk to no kernel never load native code. */
let loaded: ReturnType<typeof load> | undefined;
function libc(): ReturnType<typeof load> {
  return (loaded ??= load());
}

function load() {
  const ffi = createRequire(import.meta.url)('koffi') as typeof koffi;
  const library = ffi.load(null);
  const declare = <F extends (...args: never[]) => number>(prototype: string) =>
    library.func(prototype) as unknown as koffi.KoffiFunc<F>;
  return {
    errno: (): number => ffi.errno(),
    socket: declare<(domain: number, type: number, protocol: number) => number>('int socket(int, int, int)'),
    bind: declare<(fd: number, address: Uint8Array, length: number) => number>('int bind(int, const void *, uint)'),
    setsockopt: declare<(fd: number, level: number, name: number, value: Uint8Array, length: number) => number>(
      'int setsockopt(int, int, int, const void *, uint)',
    ),
    send: declare<(fd: number, data: Uint8Array, length: number, flags: number) => number>(
      'long send(int, const void *, ulong, int)',
    ),
    sendto: declare<
      (
        fd: number,
        data: Uint8Array,
        length: number,
        flags: number,
        address: Uint8Array,
        addressLength: number,
      ) => number
    >('long sendto(int, const void *, ulong, int, const void *, uint)'),
    recv: declare<(fd: number, data: Uint8Array, length: number, flags: number) => number>(
      'long recv(int, void *, ulong, int)',
    ),
    poll: declare<(set: Uint8Array, count: number, timeoutMs: number) => number>('int poll(void *, ulong, int)'),
    close: declare<(fd: number) => number>('int close(int)'),
    flock: declare<(fd: number, operation: number) => number>('int flock(int, int)'),
  };
}

function checked(operation: string, result: number): number {
  if (result < 0) throw new NetlinkError(operation, libc().errno());
  return result;
}

/** Opens a socket, closed on exec. @throws {NetlinkError} */
export function openSocket(domain: number, type: number, protocol: number): FileDescriptor {
  return checked('open a socket', libc().socket(domain, type | SOCK_CLOEXEC, protocol));
}

/** Binds a socket to a raw `struct sockaddr`. @throws {NetlinkError} */
export function bindSocket(fd: FileDescriptor, address: Uint8Array): void {
  checked('bind a socket', libc().bind(fd, address, address.length));
}

/** Sets an integer socket option; false when the kernel refuses. */
export function setSocketOption(fd: FileDescriptor, level: number, name: number, value: number): boolean {
  const bytes = new Uint8Array(Int32Array.of(value).buffer);
  return libc().setsockopt(fd, level, name, bytes, bytes.length) === 0;
}

/** Sends one datagram; blocks until the other side took it. @throws {NetlinkError} */
export function sendNow(fd: FileDescriptor, bytes: Uint8Array): void {
  checked('send to the kernel', libc().send(fd, bytes, bytes.length, MSG_NOSIGNAL));
}

/** Sends one datagram on another thread, so that a kernel that takes its time does not block the event loop. */
export function sendInBackground(fd: FileDescriptor, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    libc().send.async(fd, bytes, bytes.length, MSG_NOSIGNAL, (error: unknown, result) => {
      if (error === null && result >= 0) resolve();
      // koffi sets errno for the length of this callback.
      else reject(new NetlinkError('send to the kernel', libc().errno(), { cause: error ?? undefined }));
    });
  });
}

/** Receives one datagram into a buffer; its length (more than the buffer's when cut), or undefined when none waits. @throws {NetlinkError} */
export function receiveNow(fd: FileDescriptor, into: Uint8Array): number | undefined {
  for (;;) {
    const length = libc().recv(fd, into, into.length, MSG_DONTWAIT | MSG_TRUNC);
    if (length >= 0) return length;
    const errno = libc().errno();
    if (errno === constants.errno.EAGAIN) return undefined;
    if (errno !== constants.errno.EINTR) throw new NetlinkError('receive from the kernel', errno);
  }
}

/** Waits on another thread until a descriptor can be read; false when that took too long. */
export function waitReadable(fd: FileDescriptor, timeoutMs: number): Promise<boolean> {
  const set = new Uint8Array(8);
  const view = new DataView(set.buffer);
  view.setInt32(0, fd, littleEndian);
  view.setInt16(4, POLLIN, littleEndian);
  return new Promise((resolve) => {
    libc().poll.async(set, 1, timeoutMs, (error: unknown, result) => {
      resolve(error === null && result > 0);
    });
  });
}

/** Closes a descriptor. */
export function closeDescriptor(fd: FileDescriptor): void {
  libc().close(fd);
}

/**
 * Takes an exclusive lock on an open file, for as long as it stays open (flock(2)).
 * @returns false when another process holds it
 * @throws {NetlinkError}
 */
export function lockFile(fd: FileDescriptor): boolean {
  if (libc().flock(fd, LOCK_EX | LOCK_NB) === 0) return true;
  const errno = libc().errno();
  if (errno === constants.errno.EWOULDBLOCK) return false;
  throw new NetlinkError('lock a file', errno);
}

/**
 * Sends a text to a Unix datagram socket without waiting, as systemd's sd_notify(3) wants it.
 * @param path - of the socket; a leading `@` means the abstract name space
 * @throws {NetlinkError}
 */
export function sendDatagram(path: string, text: string): void {
  const name = Buffer.from(path);
  if (path.startsWith('@')) name[0] = 0;
  // A path must end with a zero, an abstract name must not (unix(7)).
  const address = Buffer.concat([Buffer.alloc(2), name, Buffer.alloc(path.startsWith('@') ? 0 : 1)]);
  new DataView(address.buffer, address.byteOffset).setUint16(0, AF_UNIX, littleEndian);
  const data = Buffer.from(text);
  const fd = openSocket(AF_UNIX, SOCK_DGRAM, 0);
  try {
    const sent = libc().sendto(fd, data, data.length, MSG_DONTWAIT | MSG_NOSIGNAL, address, address.length);
    checked(`send a datagram to ${path}`, sent);
  } finally {
    closeDescriptor(fd);
  }
}
