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
  if (operation.kind === 'set-timeouts') return { ...what, ...sides(operation) };
  const virtualService = virtualServiceKey('id' in operation ? operation.id : operation.service.id);
  const service = names?.get(virtualService);
  return {
    ...what,
    ...(service !== undefined && { service }),
    virtualService,
    ...('destination' in operation && { destination: destinationKey(operation.destination) }),
    ...sides(operation),
  };
}

function sides(operation: Operation): Pick<OperationJson, 'from' | 'to'> {
  switch (operation.kind) {
    case 'set-timeouts':
      return { from: operation.from, to: operation.timeouts };
    case 'add-service':
      return { to: ofService(operation.service) };
    case 'edit-service':
      return { from: ofService(operation.from), to: ofService(operation.service) };
    case 'remove-service':
      return { from: ofService(operation.service) };
    case 'add-destination':
      return { to: ofDestination(operation.destination) };
    case 'edit-destination':
      return { from: ofDestination(operation.from), to: ofDestination(operation.destination) };
    case 'remove-destination':
      return { from: ofDestination(operation.destination) };
  }
}

function ofService(service: VirtualService): Attributes {
  const { scheduler, flags, persistenceSeconds, persistencePrefix, persistenceEngine } = service;
  return { scheduler, flags, persistenceSeconds, persistencePrefix, persistenceEngine };
}

/** Picks, because live destinations carry their connections too. */
function ofDestination({ method, tunnel, weight, maxConnections, minConnections }: Destination): Attributes {
  return { method, tunnel, weight, maxConnections, minConnections };
}
