import type { Destination, DestinationKey } from './destination.ts';
import type { Statistics } from './statistics.ts';
import type { Timeouts } from './timeouts.ts';
import type { VirtualService, VirtualServiceKey } from './virtual-service.ts';

/** A virtual service with its destinations. */
export interface ServiceState<D extends Destination = Destination> {
  readonly service: VirtualService;
  readonly destinations: ReadonlyMap<DestinationKey, D>;
}

/** A table of the kernel as it should be. Absent timeouts are left as they are. */
export interface State {
  readonly services: ReadonlyMap<VirtualServiceKey, ServiceState>;
  readonly timeouts?: Timeouts;
}

/** A destination as the kernel reports it: with its connections, and on request its statistics. */
export interface LiveDestination extends Destination {
  readonly activeConnections: number;
  readonly inactiveConnections: number;
  readonly persistentConnections: number;
  readonly statistics?: Statistics;
}

/** A virtual service as the kernel reports it. */
export interface LiveServiceState extends ServiceState<LiveDestination> {
  readonly statistics?: Statistics;
}

/** The table of the kernel as it is. It is a State too, so live and desired compare. */
export interface LiveState extends State {
  readonly services: ReadonlyMap<VirtualServiceKey, LiveServiceState>;
  readonly timeouts: Timeouts;
}
