import { schedulers } from '../model/schedulers.ts';
import { type Finding, type Place, below, errorAt, warningAt } from './finding.ts';
import { didYouMean } from './did-you-mean.ts';
import { checkTunnel, noFullNat, tunnelWithoutTun } from './server-template.ts';
import type { ServiceKeys } from './service-schema.ts';
import type { Table } from './table.ts';

/** What a service's keys say that the kernel would refuse, or accept and do otherwise. */
export function serviceRules(keys: ServiceKeys, own: Table, place: Place): readonly Finding[] {
  const findings: Finding[] = [];
  schedulerRules(keys, place, findings);
  markRules(keys, own, place, findings);
  udpRules(keys, place, findings);
  modeRules(keys, own, place, findings);
  portRules(keys, place, findings);
  return findings;
}

function schedulerRules(keys: ServiceKeys, place: Place, findings: Finding[]): void {
  const { scheduler, scheduler_flags: flags = [] } = keys;
  const known = schedulers.has(scheduler);
  if (!known) {
    const hint = didYouMean(scheduler, schedulers);
    findings.push(
      warningAt(
        below(place, 'scheduler'),
        `"${scheduler}" is not a scheduler of Linux: a module ip_vs_${scheduler} is needed${hint}`,
      ),
    );
  }
  if (flags.length > 0 && known && scheduler !== 'sh' && scheduler !== 'mh') {
    findings.push(
      errorAt(below(place, 'scheduler_flags'), `scheduler "${scheduler}" has no flags (expected "sh" or "mh")`),
    );
  }
  if (scheduler === 'dh' && keys.on_fail === 'weight-zero') {
    const message = 'drops the clients of a server at weight zero: use "sh" or "mh", or on_fail = "remove"';
    findings.push(warningAt(below(place, 'scheduler'), `"dh" ${message}`));
  }
}

function markRules(keys: ServiceKeys, own: Table, place: Place, findings: Finding[]): void {
  if (keys.fwmark && 'protocol' in own) {
    findings.push(errorAt(below(place, 'protocol'), 'has no effect with fwmark: the mark decides'));
  }
  if (!keys.fwmark && 'family' in own) {
    findings.push(errorAt(below(place, 'family'), 'has no effect without fwmark: the address decides'));
  }
}

function udpRules(keys: ServiceKeys, place: Place, findings: Finding[]): void {
  const udp = keys.fwmark !== undefined || keys.protocol.every((protocol) => protocol === 'udp');
  const found = keys.protocol.map((protocol) => `"${protocol}"`).join(', ');
  if (keys.one_packet && !udp) {
    findings.push(errorAt(below(place, 'one_packet'), `is for UDP only (found protocol ${found}, expected "udp")`));
  }
  const engine = keys.persistence?.engine;
  if (engine === undefined) return;
  const at = below(place, 'persistence', 'engine');
  if (!udp) findings.push(errorAt(at, `is for UDP only (found protocol ${found}, expected "udp")`));
  if (engine !== 'sip')
    findings.push(warningAt(at, `"${engine}" is not an engine of Linux: a module ip_vs_pe_${engine} is needed`));
}

function modeRules(keys: ServiceKeys, own: Table, place: Place, findings: Finding[]): void {
  if (keys.mode === 'fullnat') findings.push(errorAt(below(place, 'mode'), noFullNat));
  if (!keys.tunnel) return;
  checkTunnel(keys.tunnel, below(place, 'tunnel'), findings);
  const used = keys.mode === 'tun' || keys.server?.some((server) => server.mode === 'tun') || keys.pool !== undefined;
  if (!used && 'tunnel' in own) findings.push(errorAt(below(place, 'tunnel'), tunnelWithoutTun(keys.mode)));
}

/** Port 0 means every port, and works with persistence only (ip_vs_core.c, ip_vs_schedule). */
function portRules(keys: ServiceKeys, place: Place, findings: Finding[]): void {
  keys.listen?.forEach(({ ports }, i) => {
    if (ports[0] === 0 && !keys.persistence) {
      findings.push(errorAt(below(place, 'listen', i), 'port 0 (every port) needs persistence'));
    }
  });
}
