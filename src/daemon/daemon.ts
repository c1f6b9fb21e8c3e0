import type { Logger } from 'pino';
import { ConfigError } from '../config/config-error.ts';
import type { ConfigLoader, LoadedConfig } from '../config/config-loader.ts';
import { Scheduler, type Transition } from '../health/scheduler.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { CheckType } from '../model/check-type.ts';
import type { Health } from '../model/health.ts';
import type { Ownership } from '../model/ownership.ts';
import type { LiveState } from '../model/state.ts';
import { Loop } from './loop.ts';
import { probesOf } from './probes.ts';
import { logReload, logRestartNeeded, logRound, logTransition } from './log-events.ts';
import type { ReloadOutcome } from './reload-outcome.ts';
import { round } from './round.ts';
import { type PastRound, type RoundReport, reported } from './round-report.ts';
import { seeds } from './seed.ts';
import { type StateDirectory, readOwnership } from './state-directory.ts';
import { statusLine } from './status-line.ts';
import type { ServiceManager } from './systemd.ts';
import { watchFiles } from './watch.ts';

/** What a daemon is made of. */
export interface DaemonParts {
  readonly loader: ConfigLoader;
  readonly loaded: LoadedConfig;
  readonly kernel: Kernel;
  readonly stateDirectory: StateDirectory;
  readonly checkTypes: ReadonlyMap<string, CheckType>;
  readonly manager: ServiceManager;
  readonly log: Logger;
}

/**
 * Keeps the kernel as the file wishes. It holds the configuration, the health (in the scheduler) and what is ours;
 * everything else is derived each round. Signals, timers, file events and probe results only wake its loop.
 */
export class Daemon {
  readonly #parts: DaemonParts;
  readonly #scheduler: Scheduler;
  readonly #loop: Loop<RoundReport>;
  readonly #watcher = watchFiles(() => {
    this.#reloads = this.#reloads.then(() => this.#reloadIfChanged());
  });
  #loaded: LoadedConfig;
  #owned: Ownership = new Map();
  #lastRound: PastRound | undefined;
  #lastReload: ReloadOutcome | undefined;
  #reloads: Promise<unknown> = Promise.resolve();

  constructor(parts: DaemonParts) {
    this.#parts = parts;
    this.#loaded = parts.loaded;
    this.#loop = new Loop(() => this.#round());
    this.#scheduler = new Scheduler({
      checkTypes: parts.checkTypes,
      now: Date.now,
      onChange: (transition) => {
        this.#changed(transition);
      },
    });
  }

  get loaded(): LoadedConfig {
    return this.#loaded;
  }

  get health(): Health {
    return this.#scheduler.health;
  }

  get owned(): Ownership {
    return this.#owned;
  }

  get lastRound(): PastRound | undefined {
    return this.#lastRound;
  }

  get lastReload(): ReloadOutcome | undefined {
    return this.#lastReload;
  }

  get kernel(): Kernel {
    return this.#parts.kernel;
  }

  /** How the daemon is, in one line. */
  get statusLine(): string {
    return statusLine(this.#loaded.config, this.health, this.#lastReload, this.#lastRound);
  }

  /**
   * Adopts what is in the kernel and makes the first round.
   * @throws {Error} when the record of what is ours cannot be read, or the kernel not be reached
   */
  async start(): Promise<void> {
    const started = this.#start();
    this.#reloads = started.catch(() => undefined);
    return started;
  }

  /** Reads the files again and, when they are valid, makes it so. Reloads queue up; each has its own outcome. */
  async reload(): Promise<ReloadOutcome> {
    const reload = this.#reloads.then(() => this.#reload());
    this.#reloads = reload;
    return reload;
  }

  /** Whether the loop moves (no round takes longer than the limit) and the kernel answers. */
  async isAlive(limitMs: number): Promise<boolean> {
    if (this.#loop.busyMs(performance.now()) > limitMs) return false;
    return this.#parts.kernel.info().then(
      () => true,
      () => false,
    );
  }

  /** Stops probing and changing; removes what is ours if the configuration says so. Otherwise traffic goes on. */
  async stop(): Promise<void> {
    this.#scheduler.stop();
    await Promise.all([this.#watcher.close(), this.#loop.stop()]);
    if (this.#loaded.config.daemon.onStop === 'remove') await this.#removeAll();
  }

  async #start(): Promise<void> {
    this.#owned = await readOwnership(this.#loaded.config.daemon.stateDir);
    await this.#adopt(this.#loaded, true);
    const { result, troubles } = await this.#loop.round();
    if (result === undefined) throw new Error(troubles.join('; '));
  }

  async #reload(): Promise<ReloadOutcome> {
    const { manager, log } = this.#parts;
    manager.reloading();
    const startMs = performance.now();
    const end = await this.#attemptReload();
    const outcome = { ...end, atMs: Date.now(), durationMs: performance.now() - startMs };
    this.#lastReload = outcome;
    logReload(log, outcome);
    manager.ready(this.statusLine);
    return outcome;
  }

  /** A watched file may have been touched only, or changed before it was watched. */
  async #reloadIfChanged(): Promise<void> {
    const loaded = await this.#parts.loader.load().catch(() => undefined);
    if (loaded?.hash === this.#loaded.hash && this.#lastReload?.result !== 'rejected') return;
    await this.#reload();
  }

  async #attemptReload(): Promise<Omit<ReloadOutcome, 'atMs' | 'durationMs'>> {
    try {
      const loaded = await this.#parts.loader.load();
      await this.#adopt(loaded, false);
      const { result, troubles } = await this.#loop.round();
      const changes = (result?.plan.length ?? 0) - (result?.failures.length ?? 0);
      const problems = loaded.warnings;
      const waiting = [...this.health.values()].filter(({ verdict }) => verdict === 'unknown').length;
      return { result: troubles.length > 0 ? 'partial' : 'applied', problems, changes, waiting, failures: troubles };
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : [];
      const failures = error instanceof ConfigError ? [] : [(error as Error).message];
      return { result: 'rejected', problems, changes: 0, waiting: 0, failures };
    }
  }

  /** Takes over a configuration: unchanged probes are left alone, new ones begin from what is known of their servers. */
  async #adopt(loaded: LoadedConfig, isFirst: boolean): Promise<void> {
    const { config, files } = loaded;
    const earlier = isFirst ? {} : { config: this.#loaded.config };
    const past = { ...earlier, health: this.health, owned: this.#owned, live: await this.#liveOf(loaded) };
    this.#scheduler.reconcile(probesOf(config), seeds(config, past, Date.now()));
    logRestartNeeded(this.#parts.log, this.#loaded.config.daemon, config.daemon);
    this.#parts.log.level = config.daemon.logLevel;
    this.#loaded = loaded;
    await this.#watcher.follow(config.daemon.watch ? files : []);
  }

  /** The kernel's table of those virtual services that have a server with a probe not known yet. */
  async #liveOf({ config }: LoadedConfig): Promise<LiveState> {
    const isNew = (key: string | undefined): boolean => key !== undefined && !this.health.has(key);
    const only = config.services
      .flatMap(({ listeners }) => listeners)
      .filter(({ servers }) => servers.some(({ probe }) => isNew(probe?.key)))
      .map(({ service }) => service.id);
    return this.#parts.kernel.snapshot({ only });
  }

  #changed(transition: Transition): void {
    logTransition(this.#parts.log, transition, this.#loaded.config);
    this.#loop.wake();
  }

  async #round(): Promise<RoundReport> {
    const { kernel, stateDirectory, log, manager } = this.#parts;
    const { config } = this.#loaded;
    const before = this.#lastRound;
    const run = async (nowMs: number): ReturnType<typeof round> => {
      const input = { config, health: this.health, owned: this.#owned, nowMs };
      return round(kernel, input, (owned) => stateDirectory.remember(owned));
    };
    const report = await reported(run, config, before);
    const { result, ...rest } = report;
    if (result !== undefined) this.#owned = result.owned;
    this.#lastRound = rest;
    logRound(log, report, before, this.health);
    manager.status(this.statusLine);
    return report;
  }

  async #removeAll(): Promise<void> {
    const { kernel, stateDirectory, log } = this.#parts;
    const live = await kernel.snapshot({ servicesOnly: true });
    const ours = [...live.services].filter(([key]) => this.#owned.has(key));
    const failures = await kernel.apply(ours.map(([, { service }]) => ({ kind: 'remove-service', service })));
    for (const { message } of failures) log.error(message);
    if (failures.length === 0) await stateDirectory.remember(new Map());
  }
}
