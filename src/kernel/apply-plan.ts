import type { Failure, Operation, Plan } from '../model/operation.ts';
import { type VirtualService, type VirtualServiceKey, virtualServiceKey } from '../model/virtual-service.ts';
import { errnoCode } from '../netlink/errno.ts';
import { failureMessage } from './failure-message.ts';
import type { Ipvs } from './ipvs.ts';
import type { LoadModule } from './load-module.ts';
import { type Refusals, sendOperations } from './send-operations.ts';

/** Carries out a plan. Schedulers that the kernel does not find are loaded, and what failed for want of them is tried again. @throws {NetlinkError} */
export async function applyPlan(ipvs: Ipvs, plan: Plan, loadModule: LoadModule): Promise<readonly Failure[]> {
  if (plan.length === 0) return [];
  await ipvs.ready();
  const refusals = await sendOperations(ipvs, plan);
  if (refusals.size === 0) return [];
  const again = await loadWanted(plan, refusals, loadModule);
  for (const operation of again) refusals.delete(operation);
  for (const [operation, answer] of await sendOperations(ipvs, again)) refusals.set(operation, answer);
  return failures(plan, refusals);
}

/** Loads what refused services want, once each. @returns the refused operations that are worth another try, in order */
async function loadWanted(plan: Plan, refusals: Refusals, loadModule: LoadModule): Promise<readonly Operation[]> {
  const outcomes = new Map<string, boolean>();
  const saved = new Set<VirtualServiceKey>();
  for (const [operation, { errno }] of refusals) {
    if (!wantsModule(operation) || errnoCode(errno) !== 'ENOENT') continue;
    for (const module of modulesOf(operation.service)) {
      if (!outcomes.has(module)) outcomes.set(module, await loadModule(module));
      if (outcomes.get(module) === true) saved.add(virtualServiceKey(operation.service.id));
    }
  }
  if (saved.size === 0) return [];
  return plan.filter((operation) => refusals.has(operation) && saved.has(serviceKeyOf(operation)));
}

function wantsModule(operation: Operation): operation is Operation & { kind: 'add-service' | 'edit-service' } {
  return operation.kind === 'add-service' || operation.kind === 'edit-service';
}

function modulesOf({ scheduler, persistenceEngine }: VirtualService): readonly string[] {
  return [`ip_vs_${scheduler}`, ...(persistenceEngine === '' ? [] : [`ip_vs_pe_${persistenceEngine}`])];
}

function serviceKeyOf(operation: Operation): VirtualServiceKey {
  if ('service' in operation) return virtualServiceKey(operation.service.id);
  return 'id' in operation ? virtualServiceKey(operation.id) : '';
}

/** The failures in the plan's order. That a service could not be added explains its destinations' failures: they are only counted. */
function failures(plan: Plan, refusals: Refusals): readonly Failure[] {
  const refused = plan.filter((operation) => refusals.has(operation));
  const consequences = new Map<VirtualServiceKey, number>();
  for (const operation of refused) {
    if (operation.kind === 'add-service') consequences.set(virtualServiceKey(operation.service.id), 0);
  }
  const own = refused.filter((operation) => {
    const count = 'id' in operation ? consequences.get(serviceKeyOf(operation)) : undefined;
    if (count === undefined || codeOf(refusals, operation) !== 'ESRCH') return true;
    consequences.set(serviceKeyOf(operation), count + 1);
    return false;
  });
  return own.map((operation) => failureOf(operation, refusals, consequences));
}

function failureOf(
  operation: Operation,
  refusals: Refusals,
  consequences: ReadonlyMap<VirtualServiceKey, number>,
): Failure {
  const code = codeOf(refusals, operation);
  const detail = refusals.get(operation)?.detail ?? '';
  const count = operation.kind === 'add-service' ? (consequences.get(serviceKeyOf(operation)) ?? 0) : 0;
  const message = [
    failureMessage(operation, code),
    ...(detail === '' ? [] : [`the kernel says: ${detail}`]),
    ...(count === 0 ? [] : [`so ${count === 1 ? 'its destination is' : `its ${count} destinations are`} missing too`]),
  ].join('; ');
  return { operation, code, message };
}

function codeOf(refusals: Refusals, operation: Operation): string {
  return errnoCode(refusals.get(operation)?.errno ?? 0);
}
