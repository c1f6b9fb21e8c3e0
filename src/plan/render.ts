import { destinationKey } from '../model/destination.ts';
import type { Operation, Plan } from '../model/operation.ts';
import { type VirtualServiceKey, virtualServiceKey } from '../model/virtual-service.ts';
import { type Action, actionOf, countActions } from './action.ts';
import { type Attribute, destinationAttributes, serviceAttributes, timeoutAttributes } from './attributes.ts';

/** The names of services in the file, by virtual service. */
export type ServiceNames = ReadonlyMap<VirtualServiceKey, string>;

/** How a plan is shown. */
export interface RenderOptions {
  /** Colours for a terminal; off when absent. */
  readonly color?: boolean;
  readonly names?: ServiceNames;
}

const signs: Readonly<Record<Action, string>> = { add: '+', change: '~', drain: '↓', remove: '-' };
const colors: Readonly<Record<Action, number>> = { add: 32, change: 33, drain: 36, remove: 31 };

/** A plan for people: the operations by virtual service, each with what it changes, and a line that sums them up. */
export function renderPlan(plan: Plan, { color = false, names }: RenderOptions = {}): string {
  if (plan.length === 0) return 'no changes: the kernel matches the configuration';
  const groups = new Map<string, string[]>();
  for (const operation of plan) {
    const title = titleOf(operation, names);
    const lines = groups.get(title) ?? [];
    groups.set(title, lines);
    lines.push(`  ${painted(operation, color)}\n`);
  }
  const blocks = [...groups].map(([title, lines]) => `${title}\n${lines.join('')}\n`);
  return blocks.join('') + renderSummary(plan);
}

/** One operation in one line, such as `www tcp 192.0.2.1:80: ~ 10.0.0.1:80 weight 1 → 2`. */
export function renderOperation(operation: Operation, names?: ServiceNames): string {
  return `${titleOf(operation, names)}: ${painted(operation, false)}`;
}

function renderSummary(plan: Plan): string {
  const { add, change, drain, remove } = countActions(plan);
  return `plan: ${add} to add, ${change} to change, ${drain} to drain, ${remove} to remove`;
}

function titleOf(operation: Operation, names: ServiceNames | undefined): string {
  if (operation.kind === 'set-timeouts') return 'timeouts';
  const key = virtualServiceKey('id' in operation ? operation.id : operation.service.id);
  const name = names?.get(key);
  return name === undefined ? key : `${name} ${key}`;
}

function painted(operation: Operation, color: boolean): string {
  const action = actionOf(operation);
  const line = `${signs[action]} ${words(operation)}`;
  return color ? `\u001b[${colors[action]}m${line}\u001b[39m` : line;
}

function words(operation: Operation): string {
  switch (operation.kind) {
    case 'set-timeouts':
      return changed(timeoutAttributes(operation.from), timeoutAttributes(operation.timeouts));
    case 'add-service':
      return `virtual service ${told(serviceAttributes(operation.service))}`;
    case 'edit-service':
      return `virtual service ${changed(serviceAttributes(operation.from), serviceAttributes(operation.service))}`;
    case 'remove-service':
      return 'virtual service';
    case 'add-destination':
      return `${destinationKey(operation.destination)} ${told(destinationAttributes(operation.destination))}`;
    case 'edit-destination': {
      const [from, to] = [destinationAttributes(operation.from), destinationAttributes(operation.destination)];
      return `${destinationKey(operation.destination)} ${changed(from, to)}`;
    }
    case 'remove-destination':
      return destinationKey(operation.destination);
  }
}

/** Attributes that are worth a mention. */
function told(attributes: readonly Attribute[]): string {
  return attributes.flatMap(([name, value, usual]) => (value === usual ? [] : [`${name} ${value}`])).join(', ');
}

/** Attributes that differ, old → new. */
function changed(from: readonly Attribute[], to: readonly Attribute[]): string {
  return to
    .flatMap(([name, value], index) => {
      const before = from[index]?.[1];
      return value === before ? [] : [`${name} ${before ?? ''} → ${value}`];
    })
    .join(', ');
}
