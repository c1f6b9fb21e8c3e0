import { NetlinkError } from './netlink-error.ts';

const ETIMEDOUT = 110;

/** Waits for something at most so long. @throws {NetlinkError} ETIMEDOUT when it took longer */
export async function before<T>(timeoutMs: number, pending: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // After a process or its machine stood still, timers run first: what is done by now gets its turn before.
      setImmediate(() => {
        reject(new NetlinkError('send to the kernel', ETIMEDOUT));
      });
    }, timeoutMs);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}
