/** Idle timeouts of connections, one set for the whole kernel (network namespace), in seconds, 1..8589934. */
export interface Timeouts {
  /** Established TCP connections; the kernel's default is 900. */
  readonly tcpSeconds: number;
  /** TCP connections after a FIN; the kernel's default is 120. */
  readonly tcpFinSeconds: number;
  /** UDP; the kernel's default is 300. */
  readonly udpSeconds: number;
}

/** Whether two sets of timeouts are equal. */
export function sameTimeouts(a: Timeouts, b: Timeouts): boolean {
  return a.tcpSeconds === b.tcpSeconds && a.tcpFinSeconds === b.tcpFinSeconds && a.udpSeconds === b.udpSeconds;
}
