import { type Destination, sameTunnel } from '../model/destination.ts';

/**
 * Whether a live destination is as wanted. Two things are no difference, as they could never be made equal: a kernel that
 * reports an address of this host as `local` whichever method it was given (IP_VS_CONN_F_LOCALNODE), and the tunnel of
 * what is no tunnel.
 */
export function matchesDestination(live: Destination, wanted: Destination): boolean {
  return (
    live === wanted ||
    (live.weight === wanted.weight &&
      (live.method === wanted.method || live.method === 'local') &&
      live.maxConnections === wanted.maxConnections &&
      live.minConnections === wanted.minConnections &&
      (wanted.method !== 'tun' || sameTunnel(live.tunnel, wanted.tunnel)))
  );
}
