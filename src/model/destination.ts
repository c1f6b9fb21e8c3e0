import { type Address, endpoint } from './address.ts';

/**
 * How packets reach a destination: `nat` (masquerade), `dr` (direct routing), `tun` (tunnel) are configured;
 * `local` is what the kernel makes of an address of this host, `bypass` is its transparent cache.
 */
export type ForwardMethod = 'nat' | 'dr' | 'tun' | 'local' | 'bypass';

/** Encapsulation of `tun` destinations (`IP_VS_CONN_F_TUNNEL_TYPE_*`). */
export type TunnelType = 'ipip' | 'gue' | 'gre';

/** Checksum handling of GUE and GRE (`IP_VS_TUNNEL_ENCAP_FLAG_*`). */
export type TunnelChecksum = 'none' | 'full' | 'remote';

/** The tunnel of a destination; only meaningful with method `tun`. */
export interface Tunnel {
  readonly type: TunnelType;
  /** UDP destination port of GUE, 1..65535; 0 for the other types. */
  readonly port: number;
  readonly checksum: TunnelChecksum;
}

/** The kernel's default tunnel, also what it reports of destinations that use none. */
export const ipip: Tunnel = { type: 'ipip', port: 0, checksum: 'none' };

/** A destination's identity within its virtual service, as `address:port`. Port 0 keeps the packet's port. */
export type DestinationKey = string;

/** A destination of the kernel: its identity (address, port) and every attribute that can be edited in place. */
export interface Destination {
  readonly address: Address;
  readonly port: number;
  readonly method: ForwardMethod;
  readonly tunnel: Tunnel;
  /** 0..2147483647; at 0 the destination keeps its connections and gets no new ones. */
  readonly weight: number;
  /** Connections at which it gets no more, 0..2147483647; 0 is no limit. */
  readonly maxConnections: number;
  /** Connections below which it gets more again; 0 is three quarters of the maximum (ip_vs_ctl.c). */
  readonly minConnections: number;
}

/** The key of a destination. */
export function destinationKey(destination: { readonly address: Address; readonly port: number }): DestinationKey {
  return endpoint(destination.address, destination.port);
}

/** Whether two tunnels are equal. */
export function sameTunnel(a: Tunnel, b: Tunnel): boolean {
  return a === b || (a.type === b.type && a.port === b.port && a.checksum === b.checksum);
}
