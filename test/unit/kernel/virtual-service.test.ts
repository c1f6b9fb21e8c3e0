import t from 'tap';
import { readDestination } from '../../../src/kernel/destination.ts';
import { readService, writeService } from '../../../src/kernel/virtual-service.ts';
import { type Message, readMessages } from '../../../src/netlink/message-reader.ts';
import { MessageWriter } from '../../../src/netlink/message-writer.ts';
import { virtualService } from '../../support/compact.ts';
import { attribute, find, message, requestsOf, u32 } from '../../support/netlink-bytes.ts';

/** The attributes of the service nest that is sent for a service. */
function written(line: string): Buffer {
  const writer = new MessageWriter();
  writer.begin(28, 1, 1, 0);
  writeService(writer, virtualService(line));
  writer.end();
  const [request] = requestsOf(writer.finish(1));
  return find(request?.attributes ?? Buffer.alloc(0), 1) ?? Buffer.alloc(0);
}

/** Reads one reply with that nest. */
function read<T>(nest: Buffer, decode: (reply: Message) => T): T {
  const results: T[] = [];
  readMessages(message(28, 2, 1, Buffer.from([0, 1, 0, 0]), nest), (reply) => results.push(decode(reply)));
  return results[0] as T;
}

const u16 = (value: number) => u32(value).subarray(0, 2);
const bytes = (hex: string) => Buffer.from(hex.padEnd(32, '0'), 'hex');

void t.test(
  'the netmask: IPv4 a mask in network order, IPv6 a prefix length in host order, also without persistence',
  (t) => {
    const cases: readonly [line: string, netmask: string][] = [
      ['tcp 192.0.2.1:80 rr', 'ffffffff'],
      ['tcp 192.0.2.1:80 rr prefix=24', 'ffffff00'],
      ['tcp 192.0.2.1:80 rr prefix=0', '00000000'],
      ['tcp [2001:db8::1]:80 rr', '80000000'],
      ['tcp [2001:db8::1]:80 rr prefix=64', '40000000'],
      ['fwmark 7 inet6 rr', '80000000'],
    ];
    for (const [line, netmask] of cases) t.equal(find(written(line), 9)?.toString('hex'), netmask, line);
    t.end();
  },
);

void t.test('a fwmark takes 4 bytes, and goes with the family alone', (t) => {
  const nest = written('fwmark 4294967295 inet6 rr');
  t.equal(find(nest, 5)?.toString('hex'), 'ffffffff');
  t.equal(find(nest, 1)?.toString('hex'), '0a00');
  for (const type of [2, 3, 4]) t.equal(find(nest, type), undefined, `no attribute ${type}`);
  t.end();
});

void t.test('a persistence engine is sent only where there is one, as its absence removes it', (t) => {
  t.equal(find(written('udp 192.0.2.1:5060 rr'), 11), undefined);
  t.equal(find(written('udp 192.0.2.1:5060 rr engine=sip'), 11)?.toString(), 'sip\0');
  t.end();
});

void t.test('a destination without a family of its own has that of its service', (t) => {
  const nest = attribute(
    2,
    attribute(1, bytes('20010db8000000000000000000000005')),
    attribute(2, Buffer.from([0, 80])),
  );
  t.equal(read(nest, (reply) => readDestination(reply, 'inet6', false))?.address, '2001:db8::5');
  t.end();
});

void t.test('forwarding methods and tunnels that we do not know are tolerated', (t) => {
  const known = [attribute(1, bytes('0a000001')), attribute(2, Buffer.from([0, 80]))];
  const nest = attribute(
    2,
    ...known,
    attribute(3, u32(0x107)),
    attribute(13, Buffer.from([200])),
    attribute(15, u16(9)),
  );
  const destination = read(nest, (reply) => readDestination(reply, 'inet', false));
  t.match(destination, { method: 'bypass', tunnel: { type: 'ipip', port: 0, checksum: 'none' } });
  t.end();
});

void t.test('services that IPVS stores but never balances are passed over', (t) => {
  const service = (family: number, protocol: number) =>
    attribute(
      1,
      attribute(1, u16(family)),
      attribute(2, u16(protocol)),
      attribute(3, bytes('c0000201')),
      attribute(4, u16(0)),
    );
  t.equal(
    read(service(2, 1), (reply) => readService(reply, false)),
    undefined,
    'ICMP',
  );
  t.equal(
    read(service(1, 6), (reply) => readService(reply, false)),
    undefined,
    'AF_UNIX',
  );
  t.end();
});

void t.test('a mask with holes has no prefix length', (t) => {
  const identity = [attribute(1, u16(2)), attribute(5, u32(7))];
  const nest = attribute(1, ...identity, attribute(9, Buffer.from([255, 0, 255, 0])));
  t.equal(read(nest, (reply) => readService(reply, false))?.service.persistencePrefix, -1);
  t.end();
});
