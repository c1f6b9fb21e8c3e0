import { virtualServiceKey } from '../model/virtual-service.ts';
import type { ExpandedService } from './expand-service.ts';
import { type Finding, type Place, errorAt } from './finding.ts';

/** Finds listeners of any services that would be the same virtual service in the kernel, both of whose places are shown. */
export async function duplicateListeners(
  services: readonly ExpandedService[],
  findings: Finding[],
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const seen = new Map<string, Place>();
  for (const { service, places } of services) {
    service.listeners.forEach((listener, i) => {
      const key = virtualServiceKey(listener.service.id);
      const place = places[i] ?? { file: '', path: [] };
      const first = seen.get(key);
      if (first) findings.push(errorAt(place, `${key} is already listened on`, first));
      else seen.set(key, place);
    });
    await pause();
  }
}
