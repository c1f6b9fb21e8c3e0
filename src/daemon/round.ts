import type { Kernel } from '../kernel/kernel.ts';
import type { Config } from '../model/config.ts';
import type { Health } from '../model/health.ts';
import type { Failure, Operation, Plan } from '../model/operation.ts';
import type { Ownership } from '../model/ownership.ts';
import type { State } from '../model/state.ts';
import { type VirtualServiceId, type VirtualServiceKey, virtualServiceKey } from '../model/virtual-service.ts';
import { desiredInSteps } from '../plan/desired.ts';
import { diffInSteps } from '../plan/diff.ts';
import { inSlices } from './in-slices.ts';

/** What a round works from. The kernel is read afresh. */
export interface RoundInput {
  readonly config: Config;
  readonly health: Health;
  readonly owned: Ownership;
  readonly nowMs: number;
}

/** What a round did. */
export interface RoundResult {
  readonly plan: Plan;
  readonly failures: readonly Failure[];
  /** What the kernel still lacks although it accepted the plan: somebody else is changing it. */
  readonly unsettled: Plan;
  readonly owned: Ownership;
  /** When the next drain is over, milliseconds since the epoch. */
  readonly nextDrainMs?: number;
}

/**
 * Reads the kernel, decides, records what is ours, acts, and reads again what it touched (design.md section 4.1).
 * @param remember - settles when the ownership is on the disk; the kernel is touched only after that
 * @throws {NetlinkError} when the kernel cannot be reached
 */
export async function round(
  kernel: Kernel,
  { config, health, owned: ownedBefore, nowMs }: RoundInput,
  remember: (owned: Ownership) => Promise<void>,
): Promise<RoundResult> {
  const live = await kernel.snapshot();
  const { state, owned, nextDrainMs } = await inSlices(
    desiredInSteps({ config, health, live, owned: ownedBefore, nowMs }),
  );
  const plan = await inSlices(diffInSteps(live, state));
  await remember(owned);
  const failures = plan.length === 0 ? [] : await kernel.apply(plan);
  const unsettled = plan.length === 0 || failures.length > 0 ? [] : await verify(kernel, plan, state);
  return { plan, failures, unsettled, owned, ...(nextDrainMs === undefined ? {} : { nextDrainMs }) };
}

/** What still differs in the virtual services that the plan touched. */
async function verify(kernel: Kernel, plan: Plan, state: State): Promise<Plan> {
  const touched = new Map<VirtualServiceKey, VirtualServiceId>();
  for (const operation of plan) {
    const id = serviceOf(operation);
    if (id !== undefined) touched.set(virtualServiceKey(id), id);
  }
  const live = await kernel.snapshot({ only: [...touched.values()] });
  const services = new Map([...state.services].filter(([key]) => touched.has(key)));
  return inSlices(diffInSteps(live, { ...state, services }));
}

/** The virtual service that an operation is about. */
function serviceOf(operation: Operation): VirtualServiceId | undefined {
  if ('id' in operation) return operation.id;
  return 'service' in operation ? operation.service.id : undefined;
}
