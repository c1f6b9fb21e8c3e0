import { SocketAddress } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { readAddress, writeAddress } from '../../src/kernel/address-bytes.ts';
import { readDestination, writeDestination } from '../../src/kernel/destination.ts';
import { readService, writeService } from '../../src/kernel/virtual-service.ts';
import type { Family } from '../../src/model/address.ts';
import type { Destination } from '../../src/model/destination.ts';
import type { VirtualService, VirtualServiceId } from '../../src/model/virtual-service.ts';
import { type Message, readMessages } from '../../src/netlink/message-reader.ts';
import { MessageWriter } from '../../src/netlink/message-writer.ts';

const families = fc.constantFrom<Family>('inet', 'inet6');
const port = fc.integer({ min: 0, max: 65535 });
const count = fc.integer({ min: 0, max: 0x7fffffff });
/** Few distinct words, so that runs of zeros and embedded IPv4 addresses occur. */
const inet6 = fc
  .array(fc.oneof(fc.constantFrom(0, 0, 0, 1, 0xffff), fc.nat(0xffff)), { minLength: 8, maxLength: 8 })
  .map(
    (words) => new SocketAddress({ address: words.map((word) => word.toString(16)).join(':'), family: 'ipv6' }).address,
  );

const addressOf = (family: Family) => (family === 'inet' ? fc.ipV4() : inet6);

const id: fc.Arbitrary<VirtualServiceId> = families.chain((family) =>
  fc.oneof(
    fc.record({ fwmark: fc.integer({ min: 1, max: 0xffffffff }), family: fc.constant(family) }),
    fc.record({ protocol: fc.constantFrom('tcp', 'udp', 'sctp'), address: addressOf(family), port }),
  ),
);

const service: fc.Arbitrary<VirtualService> = fc.record({
  id,
  scheduler: fc.stringMatching(/^[a-z]{1,15}$/),
  flags: fc.nat(0xff).map((flags) => flags & ~2),
  persistenceSeconds: count,
  persistencePrefix: fc.integer({ min: 1, max: 32 }),
  persistenceEngine: fc.stringMatching(/^[a-z]{0,16}$/),
});

const tunnel = fc.record({
  type: fc.constantFrom('ipip', 'gue', 'gre'),
  port,
  checksum: fc.constantFrom('none', 'full', 'remote'),
});

const destination: fc.Arbitrary<Destination> = families.chain(addressOf).chain((address) =>
  fc.record({
    address: fc.constant(address),
    port,
    method: fc.constant('tun'),
    tunnel,
    weight: count,
    maxConnections: count,
    minConnections: count,
  }),
);

/** What comes back when the kernel repeats what was written. */
function echoed<T>(write: (writer: MessageWriter) => void, read: (reply: Message) => T): T | undefined {
  const writer = new MessageWriter();
  writer.begin(28, 0, 1, 0);
  write(writer);
  writer.end();
  let result: T | undefined;
  readMessages(writer.finish(1), (reply) => {
    result = read(reply);
  });
  return result;
}

void t.test('an address survives being written and read, in its canonical spelling', (t) => {
  fc.assert(
    fc.property(
      families.chain((family) => addressOf(family).map((address) => ({ family, address }))),
      ({ family, address }) => {
        const bytes = new Uint8Array(20);
        writeAddress(address, bytes, 3);
        return readAddress(family, new DataView(bytes.buffer), 3) === address;
      },
    ),
    { examples: [[{ family: 'inet6', address: '::' }], [{ family: 'inet6', address: '::ffff:192.0.2.1' }]] },
  );
  t.pass();
  t.end();
});

void t.test('a virtual service survives being written and read', (t) => {
  const survives = (service: VirtualService): boolean => {
    const write = (writer: MessageWriter) => {
      writeService(writer, service);
    };
    return isDeepStrictEqual(
      echoed(write, (reply) => readService(reply, false)?.service),
      service,
    );
  };
  fc.assert(fc.property(service.map(plain), survives));
  t.pass();
  t.end();
});

void t.test('a destination survives being written and read', (t) => {
  const connections = { activeConnections: 0, inactiveConnections: 0, persistentConnections: 0 };
  const survives = (destination: Destination): boolean => {
    const write = (writer: MessageWriter) => {
      writeDestination(writer, destination);
    };
    const read = echoed(write, (reply) => readDestination(reply, 'inet', false));
    return isDeepStrictEqual(read, { ...destination, ...connections });
  };
  fc.assert(fc.property(destination.map(plain), survives));
  t.pass();
  t.end();
});

/** fast-check makes objects without prototypes, which equal none of ours. */
function plain<T>(value: T): T {
  return structuredClone(value);
}
