import type { Logger } from 'pino';
import { formatProblem } from '../model/problem.ts';
import type { Daemon } from './daemon.ts';
import type { ServiceManager } from './systemd.ts';

/** A round that takes longer than this is stuck, in milliseconds. */
const stuckMs = 30_000;
/** How long stopping may take before it is given up, in milliseconds: the table is sound at every moment. */
const stopMs = 900;

/** What the daemon hears and tells. */
export interface Surroundings {
  readonly manager: ServiceManager;
  readonly log: Logger;
  /** Where signals come from: `process`. */
  readonly signals: Pick<NodeJS.Process, 'on'>;
  /** Whether a reload was asked for while the configuration was being read. */
  readonly isReloadWanted: boolean;
}

/** Runs the daemon until it is told to stop. @throws {Error} when it cannot start */
export async function serve(daemon: Daemon, { manager, log, signals, isReloadWanted }: Surroundings): Promise<void> {
  const stop = new Promise((resolve) => {
    signals.on('SIGTERM', resolve).on('SIGINT', resolve);
  });
  signals.on('SIGHUP', () => void daemon.reload());
  for (const warning of daemon.loaded.warnings) log.warn(formatProblem(warning));
  if (daemon.kernel.kind === 'memory') log.warn('in-memory kernel: everything runs, but no traffic is balanced');

  const heart = heartbeat(daemon, manager);
  const started = daemon.start().then(() => {
    manager.ready(daemon.statusLine);
    log.info({ pid: process.pid, kernel: daemon.kernel.kind, files: daemon.loaded.files.length }, 'ready');
    if (isReloadWanted) void daemon.reload();
    return stop;
  });
  log.info({ signal: await Promise.race([started, stop]) }, 'stopping');
  manager.stopping();
  clearInterval(heart);
  await Promise.race([daemon.stop(), patience()]);
  log.info('stopped');
}

/** Tells systemd that all is alive, for as long as the loop and the kernel really answer. */
function heartbeat(daemon: Daemon, manager: ServiceManager): NodeJS.Timeout | undefined {
  if (manager.watchdogMs === undefined) return undefined;
  return setInterval(() => {
    void daemon.isAlive(stuckMs).then((isAlive) => {
      if (isAlive) manager.alive();
    });
  }, manager.watchdogMs / 2);
}

function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, stopMs).unref();
  });
}
