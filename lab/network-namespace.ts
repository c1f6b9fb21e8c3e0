import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import koffi from 'koffi';

const libc = koffi.load('libc.so.6');
const setns = libc.func('int setns(int fd, int nstype)') as (fd: number, type: number) => number;
const socket = libc.func('int socket(int domain, int type, int protocol)') as (...args: number[]) => number;

const CLONE_NEWNET = 0x40000000;
const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;

/**
 * Moves this thread into a named network namespace for good; for worker threads.
 * @throws {Error} when there is no such namespace, or without root
 */
export function enterNamespace(name: string): void {
  const fd = openSync(`/run/netns/${name}`, 'r');
  const result = setns(fd, CLONE_NEWNET);
  closeSync(fd);
  if (result !== 0) throw new Error(`cannot enter the network namespace ${name}: are you root?`);
}

/**
 * Calls a function while this thread is in a named network namespace. Sockets stay in the namespace they were made in,
 * so one process can serve in many; but the function must make them at once, not in a later turn of the event loop.
 * @throws {Error} when there is no such namespace, or without root; and what the function throws
 */
export function inNamespace<Result>(name: string, make: () => Result): Result {
  const own = openSync('/proc/thread-self/ns/net', 'r');
  try {
    enterNamespace(name);
    return make();
  } finally {
    setns(own, CLONE_NEWNET);
    closeSync(own);
  }
}

/** Opens a TCP connection from within a named network namespace; errors come as events, as with `net.connect()`. */
export function connectFrom(name: string, host: string, port: number): Socket {
  const family = host.includes(':') ? AF_INET6 : AF_INET;
  const fd = inNamespace(name, () => socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // manualStart (unknown to @types/node) keeps Node from reading a socket that is not connected yet
  const options = { fd, readable: true, writable: true, manualStart: true };
  return new Socket(options).connect(port, host);
}
