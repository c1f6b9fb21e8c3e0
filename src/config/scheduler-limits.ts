import type { Listener } from '../model/config.ts';
import { type Finding, type Place, below, errorAt, warningAt } from './finding.ts';

/** Entries of the table of sh (IP_VS_SH_TAB_SIZE), and of mh at the kernel's default (primes[12]). */
const shBuckets = 256;
const mhDestinations = 4093;

/** Findings about more servers or weight than the tables of sh and mh hold. */
export function schedulerLimits({ service, servers }: Listener, place: Place, findings: Finding[]): void {
  if (service.scheduler === 'mh' && servers.length > mhDestinations) {
    const message = `"mh" holds at most ${mhDestinations} servers (found ${servers.length})`;
    findings.push(errorAt(below(place, 'scheduler'), message));
  }
  if (service.scheduler !== 'sh') return;
  const weights = servers.map((server) => server.destination.weight);
  const units = weights.reduce((sum, weight) => sum + weight, 0);
  if (units > shBuckets) {
    const message = `"sh" uses only the first ${shBuckets} units of weight (found ${units}): the last servers get less, or nothing`;
    findings.push(warningAt(below(place, 'scheduler'), message));
  }
}
