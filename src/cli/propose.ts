import { NoDaemonError, ask } from '../control/control-client.ts';
import { probesOf } from '../daemon/probes.ts';
import { readOwnership } from '../daemon/state-directory.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Config } from '../model/config.ts';
import type { Health, Verdict } from '../model/health.ts';
import type { Ownership } from '../model/ownership.ts';
import type { State } from '../model/state.ts';
import type { Plan } from '../model/operation.ts';
import { desired } from '../plan/desired.ts';
import { diff } from '../plan/diff.ts';

/** A plan, what it leads to, and what is ours then. */
export interface Proposal {
  readonly plan: Plan;
  readonly state: State;
  readonly owned: Ownership;
}

/**
 * What the file asks of the kernel now. Verdicts are those of the running daemon; a server that it does not know, or
 * every server when none is running, counts as healthy.
 */
export async function propose(config: Config, kernel: Kernel): Promise<Proposal> {
  const verdicts = await runningVerdicts(config.daemon.controlSocket);
  const owned = await readOwnership(config.daemon.stateDir);
  const live = await kernel.snapshot();
  const proposal = desired({ config, health: healthOf(config, verdicts), live, owned, nowMs: Date.now() });
  return { plan: diff(live, proposal.state), state: proposal.state, owned: proposal.owned };
}

async function runningVerdicts(socketPath: string): Promise<Readonly<Record<string, Verdict>>> {
  try {
    return (await ask(socketPath, 'GET', '/v1/verdicts')) as Record<string, Verdict>;
  } catch (error) {
    if (error instanceof NoDaemonError) return {};
    throw error;
  }
}

function healthOf(config: Config, verdicts: Readonly<Record<string, Verdict>>): Health {
  const health = new Map<string, NonNullable<ReturnType<Health['get']>>>();
  for (const { key } of probesOf(config)) {
    health.set(key, { verdict: verdicts[key] ?? 'up', probed: false, contradicting: 0, reason: '', sinceMs: 0 });
  }
  return health;
}
