import type { Destination } from '../model/destination.ts';
import type { Operation, Plan } from '../model/operation.ts';
import type { ServiceState, State } from '../model/state.ts';
import { sameTimeouts } from '../model/timeouts.ts';
import { sameVirtualService } from '../model/virtual-service.ts';
import { changes, changesInSteps } from './changes.ts';
import { matchesDestination } from './matches-destination.ts';
import { type Steps, toTheEnd } from './steps.ts';

/** Make before break: the lists are carried out in this order, so that a service that survives is never empty midway. */
interface Phases {
  readonly added: Operation[];
  readonly edited: Operation[];
  readonly raised: Operation[];
  readonly lowered: Operation[];
  readonly removed: Operation[];
  readonly gone: Operation[];
}

/**
 * The operations that turn one table into another: as few as there are differences, in place where anything survives, and
 * in an order that depends on the contents alone.
 */
export function diff(live: State, desired: State): Plan {
  return toTheEnd(diffInSteps(live, desired));
}

/** The same in steps of one virtual service, so that others get a turn while large tables are compared. */
export function* diffInSteps(live: State, desired: State): Steps<Plan> {
  const phases: Phases = { added: [], edited: [], raised: [], lowered: [], removed: [], gone: [] };
  for (const { from, to } of yield* changesInSteps(live.services, desired.services, sameServiceState)) {
    yield;
    if (from === undefined) addService(to, phases);
    // The kernel takes the destinations of a removed service with it.
    else if (to === undefined) phases.gone.push({ kind: 'remove-service', service: from.service });
    else editService(from, to, phases);
  }
  const { added, edited, raised, lowered, removed, gone } = phases;
  return [timeouts(live, desired), added, edited, raised, lowered, removed, gone].flat();
}

function timeouts(live: State, desired: State): readonly Operation[] {
  const [from, to] = [live.timeouts, desired.timeouts];
  if (from === undefined || to === undefined || sameTimeouts(from, to)) return [];
  return [{ kind: 'set-timeouts', timeouts: to, from }];
}

/** A new service is followed by its destinations at once. */
function addService({ service, destinations }: ServiceState, phases: Phases): void {
  phases.added.push({ kind: 'add-service', service });
  editService({ service, destinations: new Map() }, { service, destinations }, { ...phases, raised: phases.added });
}

function editService(live: ServiceState, { service, destinations }: ServiceState, phases: Phases): void {
  if (!sameVirtualService(live.service, service)) {
    phases.edited.push({ kind: 'edit-service', service, from: live.service });
  }
  const id = service.id;
  for (const { from, to } of changes<Destination>(live.destinations, destinations, matchesDestination)) {
    if (from === undefined) phases.raised.push({ kind: 'add-destination', id, destination: to });
    else if (to === undefined) phases.removed.push({ kind: 'remove-destination', id, destination: from });
    else {
      const phase = to.weight < from.weight ? phases.lowered : phases.raised;
      phase.push({ kind: 'edit-destination', id, destination: to, from });
    }
  }
}

function sameServiceState(a: ServiceState, b: ServiceState): boolean {
  if (a === b) return true;
  if (a.destinations.size !== b.destinations.size || !sameVirtualService(a.service, b.service)) return false;
  for (const [key, wanted] of b.destinations) {
    const live = a.destinations.get(key);
    if (live === undefined || !matchesDestination(live, wanted)) return false;
  }
  return true;
}
