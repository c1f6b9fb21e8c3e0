import type { Operation, Plan } from '../model/operation.ts';

/** What an operation does, as people count it: `drain` takes the last weight from a destination. */
export type Action = 'add' | 'change' | 'drain' | 'remove';

/** What an operation does. */
export function actionOf(operation: Operation): Action {
  switch (operation.kind) {
    case 'add-service':
    case 'add-destination':
      return 'add';
    case 'remove-service':
    case 'remove-destination':
      return 'remove';
    case 'edit-destination':
      return operation.from.weight > 0 && operation.destination.weight === 0 ? 'drain' : 'change';
    default:
      return 'change';
  }
}

/** How many operations of a plan do what. */
export function countActions(plan: Plan): Record<Action, number> {
  const counts = { add: 0, change: 0, drain: 0, remove: 0 };
  for (const operation of plan) counts[actionOf(operation)] += 1;
  return counts;
}
