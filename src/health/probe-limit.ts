/** File descriptors that are kept for the rest of the daemon. */
const reserved = 64;
/** File descriptors that one probe may hold: `exec` has two pipes. */
const perProbe = 2;
const most = 4096;

/**
 * How many probes may be in flight, so that none fails for want of a file descriptor.
 * @param limits - the text of /proc/self/limits
 */
export function probeLimit(limits: string): number {
  const soft = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.min(Math.max(Math.floor((soft - reserved) / perProbe), 1), most);
}
