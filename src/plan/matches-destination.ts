import { type Destination, sameDestination } from '../model/destination.ts';

/**
 * Whether a live destination is as wanted. Some kernels report every address of this host as `local`, whichever method
 * it was given (IP_VS_CONN_F_LOCALNODE): that cannot be changed, and is no difference.
 */
export function matchesDestination(live: Destination, wanted: Destination): boolean {
  return (
    live === wanted ||
    sameDestination(live, wanted) ||
    (live.method === 'local' && sameDestination(live, { ...wanted, method: 'local' }))
  );
}
