import type { DestinationKey } from './destination.ts';
import type { VirtualServiceKey } from './virtual-service.ts';

/** What we remember of a virtual service that is ours, beyond what the kernel knows. */
export interface OwnedService {
  /** The drain time of its `[service.NAME]`, in milliseconds, kept for after the block has gone. */
  readonly drainMs: number;
  /** Destinations on their way out, and since when (milliseconds since the epoch). */
  readonly draining: Readonly<Record<DestinationKey, number>>;
}

/** The virtual services that are ours. Recorded in the state directory before the kernel is touched. */
export type Ownership = ReadonlyMap<VirtualServiceKey, OwnedService>;
