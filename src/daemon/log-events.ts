import type { Logger } from 'pino';
import type { Config, DaemonSettings } from '../model/config.ts';
import type { Transition } from '../health/scheduler.ts';
import { formatProblem } from '../model/problem.ts';
import { renderOperation } from '../plan/render.ts';
import type { RoundReport } from './round-report.ts';
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

/** Logs what a round did. A round that did nothing, or fails as the one before did, logs nothing. */
export function logRound(
  log: Logger,
  report: RoundReport,
  before: Omit<RoundReport, 'result'> | undefined,
  config: Config,
): void {
  const { plan = [] } = report.result ?? {};
  const told = new Set(before?.troubles);
  if (plan.length > 0 && plan.length <= mostLines) {
    for (const operation of plan) log.info({ kind: operation.kind }, renderOperation(operation, serviceNames(config)));
  } else if (plan.length > 0) {
    log.info(
      { operations: plan.length, durationMs: Math.round(report.durationMs) },
      `applied ${plan.length} operations`,
    );
  }
  for (const trouble of report.troubles) if (!told.has(trouble)) log.error(trouble);
  if (report.failing === 0 && (before?.failing ?? 0) > 0) log.info('all is applied again');
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
