import type { Logger } from 'pino';
import type { Config, DaemonSettings } from '../model/config.ts';
import type { Transition } from '../health/scheduler.ts';
import type { Health } from '../model/health.ts';
import type { Plan } from '../model/operation.ts';
import { formatProblem } from '../model/problem.ts';
import { renderOperation } from '../plan/render.ts';
import { type Cause, causeOf } from './cause.ts';
import type { PastRound, RoundReport } from './round-report.ts';
import { probeUsers, serviceNames } from './names.ts';
import type { ReloadOutcome } from './reload-outcome.ts';

/** Operations of one round that are logged a line each; a larger round is logged as a sum. */
const mostLines = 20;

/** Logs a verdict that changed: once, with the reason and the servers it concerns. */
export function logTransition(log: Logger, { probe, before, after }: Transition, config: Config): void {
  const servers = [...(probeUsers(config).get(probe.key) ?? [])];
  const { address, port } = probe.target;
  const fields = { servers, check: probe.check.type, address, port, before: before.verdict, after: after.verdict };
  const message = `${servers[0] ?? address} is ${after.verdict}: ${after.reason}`;
  if (after.verdict === 'up') log.info(fields, message);
  else log.warn(fields, message);
}

/** Logs what a round did, and why. A round that did nothing, or fails as the one before did, logs nothing. */
export function logRound(log: Logger, report: RoundReport, before: PastRound | undefined, health: Health): void {
  const { plan = [], failures = [] } = report.result ?? {};
  const refused = new Set(failures.map(({ operation }) => operation));
  const done = refused.size === 0 ? plan : plan.filter((operation) => !refused.has(operation));
  if (done.length > 0) logOperations(log, done, report, causeOf(report.config, health, before));
  const told = new Set(before?.troubles);
  for (const trouble of report.troubles) if (!told.has(trouble)) log.error(trouble);
  if (report.failing === 0 && (before?.failing ?? 0) > 0) log.info('all is applied again');
}

/** Drift is worth a warning: another program, or a person, changes what is ours. */
function logOperations(log: Logger, done: Plan, { config, durationMs }: RoundReport, cause: Cause): void {
  const level = cause === 'drift' ? 'warn' : 'info';
  if (done.length > mostLines) {
    const fields = { operations: done.length, cause, durationMs: Math.round(durationMs) };
    log[level](fields, `applied ${done.length} operations`);
    return;
  }
  for (const operation of done) {
    log[level]({ kind: operation.kind, cause }, renderOperation(operation, serviceNames(config)));
  }
}

/** Logs how a reload ended. */
export function logReload(log: Logger, { result, problems, failures, changes, durationMs }: ReloadOutcome): void {
  const fields = { result, changes, durationMs: Math.round(durationMs) };
  if (result === 'applied') log.info(fields, 'reload applied');
  else
    log.error(
      fields,
      result === 'partial' ? 'reload partly applied; the rest is retried' : 'reload rejected; nothing was changed',
    );
  for (const problem of problems) log[problem.severity === 'error' ? 'error' : 'warn'](formatProblem(problem));
  if (result === 'rejected') for (const failure of failures) log.error(failure);
}

const fixedAtStart = { control_socket: 'controlSocket', state_dir: 'stateDir', http: 'http' } as const;

/** Warns of keys whose new value takes effect only at the next start. */
export function logRestartNeeded(log: Logger, before: DaemonSettings, after: DaemonSettings): void {
  for (const [key, name] of Object.entries(fixedAtStart)) {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    log.warn(`daemon.${key} has changed: that takes effect at the next restart`);
  }
}
