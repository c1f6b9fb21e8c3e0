import fc from 'fast-check';
import type { Destination, Tunnel } from '../../src/model/destination.ts';
import type { Operation } from '../../src/model/operation.ts';
import { type VirtualService, familyOfService } from '../../src/model/virtual-service.ts';
import { defaultTimeouts, serviceId } from './compact.ts';

/** Mostly the first values, now and then one of the others: those that the kernel refuses, or treats in a way of its own. */
function mostly<T>(usual: readonly T[], odd: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 15, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
}

/** The identities of the virtual services. */
export const ids = ['tcp 192.0.2.1:80', 'sctp [2001:db8::1]:80', 'fwmark 7 inet', 'fwmark 7 inet6'].map(serviceId);

const id = fc.constantFrom(...ids);

const service: fc.Arbitrary<VirtualService> = id.chain((id) =>
  fc.record({
    id: fc.constant(id),
    scheduler: mostly(
      ['rr', 'wlc', 'wrr', 'lc', 'none'],
      ['sh', 'mh', 'sed', 'nq', 'fo', 'ovf', 'dh', 'lblc', 'lblcr', 'nope', '', 'sixteencharacter'],
    ),
    flags: mostly([0, 1], [2, 3, 4, 8, 0x10, 0x20, 0x40, 0x8000_0000]),
    persistenceSeconds: mostly([0, 300], [1, 1_000_000]),
    persistencePrefix: familyOfService(id) === 'inet6' ? mostly([128, 64, 1], [0, 129]) : mostly([32, 24, 1], [0]),
    persistenceEngine: mostly([''], ['sip', 'nope', 'seventeencharacter']),
  }),
);

const v4 = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
const v6 = ['2001:db8::11', '2001:db8::12'];
const oddAddresses = [
  ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.0.0.0', '127.255.255.255', '169.254.1.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    '::2',
    '::ffff:10.0.0.1',
    '64:ff9b::1',
    '100::1',
    'fc00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'febf::1',
  ],
];

const tunnel: fc.Arbitrary<Tunnel> = fc.record({
  type: fc.constantFrom('ipip', 'gue', 'gre'),
  port: fc.constantFrom(6080, 0, 1),
  checksum: fc.constantFrom('none', 'full', 'remote'),
});

const destination: fc.Arbitrary<Destination> = fc.record({
  address: mostly([...v4, ...v6], oddAddresses),
  port: fc.constantFrom(80, 0),
  method: mostly(['nat', 'dr', 'tun'], ['local', 'bypass']),
  tunnel,
  weight: mostly([0, 1, 10], [-1, 65_536, 0x7fff_ffff, 0x8000_0000]),
  maxConnections: mostly([0, 100], [0x7fff_ffff, 0x8000_0000, 0xffff_ffff]),
  minConnections: mostly([0], [1, 100, 101, 0xffff_ffff]),
});

const seconds = mostly([0, 60, 900], [-1, 8_589_934, 8_589_935, 0x7fff_ffff]);

/** Operations on few objects, valid and invalid, as no plan would have them. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 2, arbitrary: service.map((service) => ({ kind: 'add-service' as const, service })) },
  { weight: 2, arbitrary: service.map((service) => ({ kind: 'edit-service' as const, service, from: service })) },
  { weight: 1, arbitrary: service.map((service) => ({ kind: 'remove-service' as const, service })) },
  {
    weight: 20,
    arbitrary: fc.record({ kind: fc.constant('add-destination' as const), id, destination }),
  },
  {
    weight: 15,
    arbitrary: fc
      .tuple(id, destination)
      .map(([id, destination]) => ({ kind: 'edit-destination' as const, id, destination, from: destination })),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('remove-destination' as const), id, destination }) },
  {
    weight: 1,
    arbitrary: fc
      .record({ tcpSeconds: seconds, tcpFinSeconds: seconds, udpSeconds: seconds })
      .map((timeouts) => ({ kind: 'set-timeouts' as const, timeouts, from: defaultTimeouts })),
  },
);
