import type { Check } from '../../src/model/check.ts';
import type { Config, Listener, Server, Service } from '../../src/model/config.ts';
import { type Destination, type ForwardMethod, type TunnelType, destinationKey } from '../../src/model/destination.ts';
import type { EndpointHealth, Health, Verdict } from '../../src/model/health.ts';
import type { LiveDestination, LiveServiceState, LiveState } from '../../src/model/state.ts';
import type { Timeouts } from '../../src/model/timeouts.ts';
import {
  type Protocol,
  type VirtualService,
  type VirtualServiceId,
  familyOfService,
  serviceFlags,
  virtualServiceKey,
} from '../../src/model/virtual-service.ts';

/** The kernel's default timeouts. */
export const defaultTimeouts: Timeouts = { tcpSeconds: 900, tcpFinSeconds: 120, udpSeconds: 300 };

/** A `[service.NAME]` block in short: lines instead of objects. */
export interface CompactService {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly drainMs?: number;
  readonly onFail?: Service['onFail'];
  /** Lines as `virtualService` reads them. */
  readonly listen: readonly string[];
  /** Lines as `destination` reads them, plus `probe=KEY`, `disabled`. */
  readonly servers?: readonly string[];
}

/** A configuration in short. */
export interface CompactConfig {
  readonly unmanaged?: 'keep' | 'remove';
  readonly timeouts?: Timeouts;
  readonly services?: readonly CompactService[];
}

/** A live table in short: the destinations of each virtual service, as lines. */
export type CompactTable = Readonly<Record<string, readonly string[]>>;

/** `10.0.0.1:80` or `[2001:db8::1]:80`. */
function endpointOf(text: string): { address: string; port: number } {
  const colon = text.lastIndexOf(':');
  return { address: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}

/** The words of a line: plain ones, and those of the form `name=value`. */
function wordsOf(line: string): { plain: readonly string[]; option: (name: string) => string | undefined } {
  const words = line.split(/\s+/);
  const options = new Map(
    words.filter((word) => word.includes('=')).map((word) => word.split('=') as [string, string]),
  );
  return { plain: words.filter((word) => !word.includes('=')), option: (name) => options.get(name) };
}

/** `tcp 192.0.2.1:80` or `fwmark 7 inet`. */
export function serviceId(text: string): VirtualServiceId {
  const [kind, where = '', family] = text.split(/\s+/);
  if (kind === 'fwmark') return { fwmark: Number(where), family: family === 'inet6' ? 'inet6' : 'inet' };
  return { protocol: kind as Protocol, ...endpointOf(where) };
}

/** `tcp 192.0.2.1:80 wlc flags=1 persistence=300 prefix=24 engine=sip`, `fwmark 7 inet wlc`; all but the identity may be left out. */
export function virtualService(line: string): VirtualService {
  const { plain, option } = wordsOf(line);
  const idWords = plain[0] === 'fwmark' ? 3 : 2;
  const id = serviceId(plain.slice(0, idWords).join(' '));
  return {
    id,
    scheduler: plain[idWords] ?? 'wlc',
    flags: Number(option('flags') ?? (plain.includes('persistent') ? serviceFlags.persistent : 0)),
    persistenceSeconds: Number(option('persistence') ?? 0),
    persistencePrefix: Number(option('prefix') ?? (familyOfService(id) === 'inet6' ? 128 : 32)),
    persistenceEngine: option('engine') ?? '',
  };
}

/** `10.0.0.1:80 nat weight=1 max=0 min=0 tunnel=gue port=6080`; all but the identity may be left out. */
export function destination(line: string): Destination {
  const { plain, option } = wordsOf(line);
  return {
    ...endpointOf(plain[0] ?? ''),
    method: (plain[1] ?? 'nat') as ForwardMethod,
    tunnel: { type: (option('tunnel') ?? 'ipip') as TunnelType, port: Number(option('port') ?? 0), checksum: 'none' },
    weight: Number(option('weight') ?? 1),
    maxConnections: Number(option('max') ?? 0),
    minConnections: Number(option('min') ?? 0),
  };
}

/** A destination line with `active=2 inactive=1`, as the kernel would report it. */
export function liveDestination(line: string): LiveDestination {
  const { option } = wordsOf(line);
  return {
    ...destination(line),
    activeConnections: Number(option('active') ?? 0),
    inactiveConnections: Number(option('inactive') ?? 0),
    persistentConnections: 0,
  };
}

/** A live table. */
export function liveState(table: CompactTable, timeouts: Timeouts = defaultTimeouts): LiveState {
  const entries = Object.entries(table).map(([line, lines]): [string, LiveServiceState] => {
    const service = virtualService(line);
    const destinations = new Map(lines.map(liveDestination).map((live) => [destinationKey(live), live]));
    return [virtualServiceKey(service.id), { service, destinations }];
  });
  return { services: new Map(entries), timeouts };
}

/** A configuration. */
export function config({ unmanaged = 'keep', timeouts, services = [] }: CompactConfig): Config {
  return {
    daemon: {
      controlSocket: '/run/ipvsd/control.sock',
      stateDir: '/var/lib/ipvsd',
      watch: false,
      resyncMs: 30_000,
      unmanaged,
      onStop: 'keep',
      logLevel: 'info',
    },
    ...(timeouts && { timeouts }),
    services: services.map(service),
  };
}

function service({
  name = 'www',
  enabled = true,
  drainMs = 60_000,
  onFail = 'weight-zero',
  listen,
  servers = [],
}: CompactService): Service {
  const listeners = listen.map((line): Listener => ({ service: virtualService(line), servers: servers.map(server) }));
  return { name, enabled, listeners, drainMs, onFail };
}

const check: Check = {
  type: 'tcp',
  options: {},
  intervalMs: 2000,
  intervalDownMs: 2000,
  timeoutMs: 1000,
  rise: 1,
  fall: 1,
};

function server(line: string): Server {
  const { plain, option } = wordsOf(line);
  const key = option('probe');
  const words = plain.filter((word) => word !== 'disabled');
  const made = destination([...words, ...line.split(/\s+/).filter((word) => word.includes('='))].join(' '));
  return {
    name: destinationKey(made),
    enabled: !plain.includes('disabled'),
    destination: made,
    ...(key !== undefined && { probe: { key, check, target: { address: made.address, port: made.port } } }),
  };
}

/** Health by probe key. */
export function health(verdicts: Readonly<Record<string, Verdict>>): Health {
  const known = ([key, verdict]: [string, Verdict]): [string, EndpointHealth] => [
    key,
    { verdict, probed: true, contradicting: 0, reason: '', sinceMs: 0 },
  ];
  return new Map(Object.entries(verdicts).map(known));
}
