import type { Probe } from './check.ts';
import type { Destination } from './destination.ts';
import type { Timeouts } from './timeouts.ts';
import type { VirtualService } from './virtual-service.ts';

/** `[daemon]`. */
export interface DaemonSettings {
  readonly controlSocket: string;
  /** Where status is served over HTTP; absent: nowhere. */
  readonly http?: { readonly address: string; readonly port: number };
  readonly stateDir: string;
  readonly watch: boolean;
  readonly resyncMs: number;
  readonly unmanaged: 'keep' | 'remove';
  readonly onStop: 'keep' | 'remove';
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';
}

/** A server as configured, in one virtual service: the destination it makes at full weight, and what decides its weight. */
export interface Server {
  /** Its `name`, or `address:port`. */
  readonly name: string;
  readonly enabled: boolean;
  /** The destination with its configured weight. */
  readonly destination: Destination;
  /** What probes it; absent: always up. */
  readonly probe?: Probe;
}

/** One kernel virtual service that a `[service.NAME]` makes, with its servers (ranges and pools expanded, defaults applied). */
export interface Listener {
  readonly service: VirtualService;
  readonly servers: readonly Server[];
}

/** A `[service.NAME]` block. */
export interface Service {
  readonly name: string;
  readonly enabled: boolean;
  readonly listeners: readonly Listener[];
  /** How long a removed server may finish its connections, in milliseconds; 0 cuts at once. */
  readonly drainMs: number;
  /** What becomes of a failing server: it stays at weight zero, or its destination is removed. */
  readonly onFail: 'weight-zero' | 'remove';
}

/** A whole valid configuration: defaults applied, ranges, pools and protocols expanded, addresses canonical. */
export interface Config {
  readonly daemon: DaemonSettings;
  readonly timeouts?: Timeouts;
  readonly services: readonly Service[];
}
