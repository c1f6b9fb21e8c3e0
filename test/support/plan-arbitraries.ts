import fc from 'fast-check';
import type { Config, Listener, Server, Service } from '../../src/model/config.ts';
import { type Destination, destinationKey, ipip } from '../../src/model/destination.ts';
import type { EndpointHealth, Health } from '../../src/model/health.ts';
import type { ServiceState, State } from '../../src/model/state.ts';
import {
  type VirtualService,
  type VirtualServiceId,
  type VirtualServiceKey,
  familyOfService,
  virtualServiceKey,
} from '../../src/model/virtual-service.ts';
import { config as compactConfig, serviceId } from './compact.ts';

/** A small world, so that random things meet: services, addresses and probes of which there are few. */
export const ids: readonly VirtualServiceId[] = [
  'tcp 192.0.2.1:80',
  'tcp 192.0.2.1:443',
  'udp 192.0.2.1:53',
  'tcp [2001:db8::1]:80',
  'fwmark 7 inet',
].map(serviceId);

const ports = [80, 8080];
const probeKeys = ['a', 'b', 'c'];

/** A virtual service of that identity. */
function virtualServiceOf(id: VirtualServiceId): fc.Arbitrary<VirtualService> {
  return fc.record({
    id: fc.constant(id),
    scheduler: fc.constantFrom('rr', 'wlc', 'mh'),
    flags: fc.constantFrom(0, 1, 0x18),
    persistenceSeconds: fc.constantFrom(0, 300),
    persistencePrefix: fc.constantFrom(24, 32),
    persistenceEngine: fc.constantFrom('', 'sip'),
  });
}

/** A valid destination for a service of that identity. */
export function destinationOf(id: VirtualServiceId): fc.Arbitrary<Destination> {
  const addresses =
    familyOfService(id) === 'inet6' ? ['2001:db8::11', '2001:db8::12'] : ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
  const parts = fc.record({
    address: fc.constantFrom(...addresses),
    port: fc.constantFrom(...ports),
    method: fc.constantFrom('nat' as const, 'dr' as const, 'tun' as const),
    tunnel: fc.constantFrom(ipip, { type: 'gue' as const, port: 6080, checksum: 'none' as const }),
    weight: fc.constantFrom(0, 1, 2, 10),
    maxConnections: fc.constantFrom(0, 100),
    minConnections: fc.constant(0),
  });
  return parts.map((all) => (all.method === 'tun' ? all : { ...all, tunnel: ipip }));
}

function serviceStateOf(id: VirtualServiceId): fc.Arbitrary<readonly [VirtualServiceKey, ServiceState]> {
  const destinations = fc.uniqueArray(destinationOf(id), { selector: destinationKey, maxLength: 5 });
  return fc
    .tuple(virtualServiceOf(id), destinations)
    .map(([service, list]) => [
      virtualServiceKey(id),
      { service, destinations: new Map(list.map((destination) => [destinationKey(destination), destination])) },
    ]);
}

/** A valid table. */
export const state: fc.Arbitrary<State> = fc
  .shuffledSubarray([...ids])
  .chain((some) => fc.tuple(...some.map(serviceStateOf)))
  .map((entries) => ({ services: new Map(entries) }));

function serverOf(id: VirtualServiceId): fc.Arbitrary<Server> {
  return fc
    .tuple(destinationOf(id), fc.boolean(), fc.option(fc.constantFrom(...probeKeys), { nil: undefined }))
    .map(([destination, enabled, key]) => ({
      name: destinationKey(destination),
      enabled,
      destination,
      ...(key !== undefined && {
        probe: {
          key,
          check: { type: 'tcp', options: {}, intervalMs: 1, intervalDownMs: 1, timeoutMs: 1, rise: 1, fall: 1 },
          target: destination,
        },
      }),
    }));
}

function serviceOf(id: VirtualServiceId): fc.Arbitrary<Service> {
  const servers = fc.uniqueArray(serverOf(id), {
    selector: ({ destination }) => destinationKey(destination),
    maxLength: 4,
  });
  const listener: fc.Arbitrary<Listener> = fc.record({ service: virtualServiceOf(id), servers });
  return fc.record({
    name: fc.constant(virtualServiceKey(id)),
    enabled: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    listeners: fc.tuple(listener),
    drainMs: fc.constantFrom(0, 1000, 60_000),
    onFail: fc.constantFrom('weight-zero', 'remove'),
  });
}

/** A valid configuration. */
export const config: fc.Arbitrary<Config> = fc
  .shuffledSubarray([...ids])
  .chain((some) => fc.tuple(fc.tuple(...some.map(serviceOf)), fc.constantFrom('keep' as const, 'remove' as const)))
  .map(([services, unmanaged]) => ({ ...compactConfig({ unmanaged }), services }));

const endpointHealth: fc.Arbitrary<EndpointHealth> = fc.constantFrom('up', 'down', 'unknown').map((verdict) => ({
  verdict,
  probed: true,
  contradicting: 0,
  reason: '',
  sinceMs: 0,
}));

/** Verdicts on some of the probes. */
export const health: fc.Arbitrary<Health> = fc
  .dictionary(fc.constantFrom(...probeKeys), endpointHealth)
  .map((known) => new Map(Object.entries(known)));
