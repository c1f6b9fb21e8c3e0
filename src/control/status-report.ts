import type { Daemon } from '../daemon/daemon.ts';
import { serviceNames } from '../daemon/names.ts';
import type { ReloadOutcome } from '../daemon/reload-outcome.ts';
import type { Listener, Server, Service } from '../model/config.ts';
import { destinationKey } from '../model/destination.ts';
import type { Health, Verdict } from '../model/health.ts';
import type { LiveDestination, LiveServiceState, LiveState } from '../model/state.ts';
import { virtualServiceKey } from '../model/virtual-service.ts';
import { desired } from '../plan/desired.ts';
import { diff } from '../plan/diff.ts';
import { renderOperation } from '../plan/render.ts';

/** Connections of a destination right now. */
interface Connections {
  readonly active: number;
  readonly inactive: number;
}

/** A server, or a destination that is on its way out. */
export interface ServerStatus {
  readonly name: string;
  /** `address:port` of its destination. */
  readonly destination: string;
  readonly verdict: Verdict | 'unchecked' | 'disabled' | 'draining';
  /** Why, in words, and since when (milliseconds since the epoch; absent when nothing is known). */
  readonly reason: string;
  readonly sinceMs?: number;
  /** When the last probe ended, milliseconds since the epoch, and how long it took. */
  readonly lastProbe?: { readonly atMs: number; readonly durationMs: number; readonly passed: boolean };
  readonly configuredWeight: number;
  /** The weight in the kernel; null when it is not in the table. */
  readonly weight: number | null;
  readonly connections: Connections;
}

/** A virtual service of a service. */
export interface ListenerStatus {
  readonly key: string;
  readonly scheduler: string;
  readonly isPresent: boolean;
  readonly servers: readonly ServerStatus[];
}

/** Everything `ipvsd status` shows. */
export interface StatusReport {
  readonly kernel: { readonly kind: 'linux' | 'memory'; readonly release: string };
  readonly config: { readonly files: number; readonly hash: string };
  readonly reload: ReloadOutcome | null;
  readonly round: { readonly atMs: number; readonly durationMs: number; readonly troubles: readonly string[] };
  readonly services: readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly listeners: readonly ListenerStatus[];
  }[];
  /** Virtual services in the kernel that are not ours. */
  readonly foreign: readonly string[];
  /** What the kernel lacks at this moment, as plan lines. */
  readonly drift: readonly string[];
  /** Whether anything above is not as it should be. */
  readonly degraded: boolean;
}

/** Looks at the daemon and the kernel now. */
export async function statusReport(daemon: Daemon): Promise<StatusReport> {
  const { kernel } = daemon;
  const [info, live] = [await kernel.info(), await kernel.snapshot()];
  const { config, files, hash } = daemon.loaded;
  const { health, owned, lastRound } = daemon;
  const services = config.services.map((service) => ({
    name: service.name,
    enabled: service.enabled,
    listeners: service.listeners.map((listener) => listenerStatus(service, listener, live, health)),
  }));
  const { state } = desired({ config, health, live, owned, nowMs: Date.now() });
  const drift = diff(live, state).map((operation) => renderOperation(operation, serviceNames(config)));
  const round = {
    atMs: lastRound?.atMs ?? 0,
    durationMs: lastRound?.durationMs ?? 0,
    troubles: lastRound?.troubles ?? [],
  };
  const isWell = ({ verdict }: ServerStatus): boolean => verdict !== 'down' && verdict !== 'unknown';
  const allWell = services.every(({ listeners }) => listeners.every(({ servers }) => servers.every(isWell)));
  return {
    kernel: { kind: kernel.kind, release: info.release },
    config: { files: files.length, hash },
    reload: daemon.lastReload ?? null,
    round,
    services,
    foreign: [...live.services.keys()].filter((key) => !owned.has(key)),
    drift,
    degraded: !allWell || round.troubles.length > 0 || drift.length > 0 || daemon.lastReload?.result === 'rejected',
  };
}

function listenerStatus(service: Service, listener: Listener, live: LiveState, health: Health): ListenerStatus {
  const key = virtualServiceKey(listener.service.id);
  const found = live.services.get(key);
  const servers = listener.servers.map((server) => serverStatus(service, server, found, health));
  return {
    key,
    scheduler: listener.service.scheduler,
    isPresent: found !== undefined,
    servers: [...servers, ...leaving(listener, found)],
  };
}

function serverStatus(
  service: Service,
  server: Server,
  found: LiveServiceState | undefined,
  health: Health,
): ServerStatus {
  const destination = destinationKey(server.destination);
  const there = found?.destinations.get(destination);
  return {
    name: server.name,
    destination,
    ...judgement(service, server, health),
    configuredWeight: server.destination.weight,
    weight: there?.weight ?? null,
    connections: connectionsOf(there),
  };
}

function judgement(
  service: Service,
  { enabled, probe }: Server,
  health: Health,
): Pick<ServerStatus, 'verdict' | 'reason' | 'sinceMs' | 'lastProbe'> {
  if (!service.enabled || !enabled) return { verdict: 'disabled', reason: 'disabled in the file' };
  if (probe === undefined) return { verdict: 'unchecked', reason: 'has no check' };
  const known = health.get(probe.key);
  if (known === undefined) return { verdict: 'unknown', reason: 'waits for its first probe' };
  const { verdict, reason, sinceMs, last } = known;
  if (last === undefined) return { verdict, reason, sinceMs };
  const { atMs, durationMs, passed } = last;
  return { verdict, reason, sinceMs, lastProbe: { atMs, durationMs, passed } };
}

/** Destinations that no configured server makes. */
function leaving(listener: Listener, found: LiveServiceState | undefined): ServerStatus[] {
  const configured = new Set(listener.servers.map(({ destination }) => destinationKey(destination)));
  return [...(found?.destinations ?? [])]
    .filter(([key]) => !configured.has(key))
    .map(([key, there]) => ({
      name: key,
      destination: key,
      verdict: 'draining',
      reason: 'no longer in the file: leaves when its connections are gone',
      configuredWeight: 0,
      weight: there.weight,
      connections: connectionsOf(there),
    }));
}

function connectionsOf(there: LiveDestination | undefined): Connections {
  return { active: there?.activeConnections ?? 0, inactive: there?.inactiveConnections ?? 0 };
}
