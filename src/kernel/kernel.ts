import type { Failure, Plan } from '../model/operation.ts';
import type { LiveState } from '../model/state.ts';
import type { VirtualServiceId } from '../model/virtual-service.ts';

/** What to read. */
export interface SnapshotOptions {
  /** Read only these virtual services (absent ones are simply not in the answer). */
  readonly only?: readonly VirtualServiceId[];
  /** Read 64-bit statistics too; costs a little more. */
  readonly statistics?: boolean;
  /** Read the virtual services alone, which takes a fraction of the time: none has destinations then. */
  readonly servicesOnly?: boolean;
}

/** What kernel this is. */
export interface KernelInfo {
  /** Such as `6.1.0-50-amd64`, or `memory`. */
  readonly release: string;
  /** IPVS version such as `1.2.1`. */
  readonly ipvsVersion: string;
  /** Buckets of the connection table. */
  readonly connectionTableSize: number;
}

/** The kernel's IPVS table: the real one, or an in-memory twin that refuses like the real one. */
export interface Kernel {
  readonly kind: 'linux' | 'memory';
  info(): Promise<KernelInfo>;
  /** Reads the live table. Yields to the event loop on large tables. @throws {NetlinkError} */
  snapshot(options?: SnapshotOptions): Promise<LiveState>;
  /**
   * Carries out the operations in order; one that fails does not stop the others. Yields to the event loop on large plans.
   * @returns the operations that failed; an empty list when all is done.
   * @throws {NetlinkError} when the kernel cannot be reached at all
   */
  apply(plan: Plan): Promise<readonly Failure[]>;
  close(): void;
}
