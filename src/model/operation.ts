import type { Destination } from './destination.ts';
import type { Timeouts } from './timeouts.ts';
import type { VirtualService, VirtualServiceId } from './virtual-service.ts';

/** One change of the kernel's table. `from` is what is there now, so that a person can read old → new. */
export type Operation =
  | { readonly kind: 'add-service'; readonly service: VirtualService }
  | { readonly kind: 'edit-service'; readonly service: VirtualService; readonly from: VirtualService }
  | { readonly kind: 'remove-service'; readonly service: VirtualService }
  | { readonly kind: 'add-destination'; readonly id: VirtualServiceId; readonly destination: Destination }
  | {
      readonly kind: 'edit-destination';
      readonly id: VirtualServiceId;
      readonly destination: Destination;
      readonly from: Destination;
    }
  | { readonly kind: 'remove-destination'; readonly id: VirtualServiceId; readonly destination: Destination }
  | { readonly kind: 'set-timeouts'; readonly timeouts: Timeouts; readonly from: Timeouts };

/** The kinds of operations. */
export type OperationKind = Operation['kind'];

/** An ordered list of operations. */
export type Plan = readonly Operation[];

/** An operation that the kernel refused. */
export interface Failure {
  readonly operation: Operation;
  /** The kernel's answer by name, such as `ENOENT`. */
  readonly code: string;
  /** What went wrong and what to do about it, for people. */
  readonly message: string;
}
