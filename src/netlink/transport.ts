/** A netlink socket, or what stands for one: datagrams in, datagrams out. */
export interface Transport {
  /** Sends one datagram without blocking the event loop. The bytes must not change until then. */
  send(datagram: Uint8Array): Promise<void>;
  /** Sends one datagram at once. For requests that the kernel answers quickly. */
  sendNow(datagram: Uint8Array): void;
  /** The next datagram that waits, valid until the next call; undefined when none does. @throws {NetlinkError} */
  receive(): Uint8Array | undefined;
  /** Waits for a datagram; false when none came in time. */
  wait(timeoutMs: number): Promise<boolean>;
  close(): void;
}
