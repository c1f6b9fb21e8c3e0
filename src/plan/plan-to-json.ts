import { type Destination, type DestinationKey, destinationKey } from '../model/destination.ts';
import type { Operation, OperationKind, Plan } from '../model/operation.ts';
import type { Timeouts } from '../model/timeouts.ts';
import { type VirtualService, type VirtualServiceKey, virtualServiceKey } from '../model/virtual-service.ts';
import { type Action, actionOf, countActions } from './action.ts';
import type { ServiceNames } from './render.ts';

type Attributes = Omit<VirtualService, 'id'> | Omit<Destination, 'address' | 'port'> | Timeouts;

/** An operation for machines. */
export interface OperationJson {
  readonly action: Action;
  readonly kind: OperationKind;
  /** The name in the file; absent when it is not there. */
  readonly service?: string;
  readonly virtualService?: VirtualServiceKey;
  readonly destination?: DestinationKey;
  /** Every attribute before; absent when it is added. */
  readonly from?: Attributes;
  /** Every attribute after; absent when it is removed. */
  readonly to?: Attributes;
}

/** A plan for machines. */
export interface PlanJson {
  readonly summary: Readonly<Record<Action, number>>;
  readonly operations: readonly OperationJson[];
}

/** A plan for machines: what `ipvsd plan --json` prints. */
export function planToJson(plan: Plan, names?: ServiceNames): PlanJson {
  return { summary: countActions(plan), operations: plan.map((operation) => operationToJson(operation, names)) };
}

function operationToJson(operation: Operation, names: ServiceNames | undefined): OperationJson {
  const what = { action: actionOf(operation), kind: operation.kind };
  if (operation.kind === 'set-timeouts') return { ...what, from: operation.from, to: operation.timeouts };
  const virtualService = virtualServiceKey('id' in operation ? operation.id : operation.service.id);
  const service = names?.get(virtualService);
  const where = { ...what, ...(service !== undefined && { service }), virtualService };
  return 'destination' in operation
    ? {
        ...where,
        destination: destinationKey(operation.destination),
        ...sides(
          operation,
          ofDestination(operation.destination),
          'from' in operation ? ofDestination(operation.from) : undefined,
        ),
      }
    : {
        ...where,
        ...sides(operation, ofService(operation.service), 'from' in operation ? ofService(operation.from) : undefined),
      };
}

function sides(
  operation: Operation,
  attributes: Attributes,
  from: Attributes | undefined,
): Pick<OperationJson, 'from' | 'to'> {
  if (actionOf(operation) === 'remove') return { from: attributes };
  return { ...(from !== undefined && { from }), to: attributes };
}

function ofService({
  scheduler,
  flags,
  persistenceSeconds,
  persistencePrefix,
  persistenceEngine,
}: VirtualService): Attributes {
  return { scheduler, flags, persistenceSeconds, persistencePrefix, persistenceEngine };
}

function ofDestination({ method, tunnel, weight, maxConnections, minConnections }: Destination): Attributes {
  return { method, tunnel, weight, maxConnections, minConnections };
}
