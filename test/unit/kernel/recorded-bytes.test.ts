import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readDestination } from '../../../src/kernel/destination.ts';
import { encodeOperation } from '../../../src/kernel/encode-operation.ts';
import { readInfo } from '../../../src/kernel/info.ts';
import type { KernelInfo } from '../../../src/kernel/kernel.ts';
import { readTimeouts } from '../../../src/kernel/timeouts.ts';
import { readService } from '../../../src/kernel/virtual-service.ts';
import type { Operation } from '../../../src/model/operation.ts';
import type { LiveDestination } from '../../../src/model/state.ts';
import type { Timeouts } from '../../../src/model/timeouts.ts';
import { type VirtualService, type VirtualServiceId, familyOfService } from '../../../src/model/virtual-service.ts';
import { type Message, readMessages } from '../../../src/netlink/message-reader.ts';
import { MessageWriter } from '../../../src/netlink/message-writer.ts';
import { NetlinkError } from '../../../src/netlink/netlink-error.ts';
import { attribute, readHex } from '../../support/netlink-bytes.ts';
import { root } from '../../support/root.ts';

/** What the bytes say. */
type Decoded =
  | { readonly service: VirtualService }
  | { readonly id: VirtualServiceId; readonly destination: LiveDestination }
  | { readonly timeouts: Timeouts }
  | { readonly info: KernelInfo };

const folder = join(root, 'fixtures/netlink');
const malformed = join(folder, 'malformed');
const cases = readdirSync(folder).filter((name) => name !== 'malformed');
const files = (name: string) => readdirSync(join(folder, name));
const decodedOf = (name: string) => JSON.parse(readFileSync(join(folder, name, 'decoded.json'), 'utf8')) as Decoded;

function operationOf(decoded: Decoded): Operation | undefined {
  if ('service' in decoded) return { kind: 'add-service', ...decoded };
  if ('destination' in decoded) return { kind: 'add-destination', ...decoded };
  return 'timeouts' in decoded ? { kind: 'set-timeouts', from: decoded.timeouts, ...decoded } : undefined;
}

/** Reads bytes as what is expected of them. */
function decode(bytes: Uint8Array, expected: Decoded): unknown {
  let result: unknown;
  const read = (message: Message) => {
    if ('service' in expected) result = { service: readService(message, false)?.service };
    else if ('destination' in expected) {
      result = { id: expected.id, destination: readDestination(message, familyOfService(expected.id), false) };
    } else if ('timeouts' in expected) result = { timeouts: readTimeouts(message) };
    else result = { info: readInfo(message, expected.info.release) };
  };
  readMessages(bytes, read);
  return result;
}

/** The same message with another length in its header. */
function withLength(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32LE(changed.length);
  return changed;
}

void t.test('encodeOperation() writes what the kernel took', (t) => {
  for (const name of cases.filter((name) => files(name).includes('request.hex'))) {
    const request = readHex(join(folder, name, 'request.hex'));
    const operation = operationOf(decodedOf(name));
    const writer = new MessageWriter();
    if (operation !== undefined) encodeOperation(writer, request.readUInt16LE(4), operation);
    t.equal(Buffer.from(writer.finish(request.readUInt32LE(8))).toString('hex'), request.toString('hex'), name);
  }
  t.end();
});

for (const name of cases.filter((name) => files(name).includes('reply.hex'))) {
  const reply = readHex(join(folder, name, 'reply.hex'));
  const expected = decodedOf(name);

  void t.test(`decoding ${name}`, (t) => {
    t.strictSame(decode(reply, expected), expected, 'reads what ipvsadm set');
    const unknown = attribute(0x3000, Buffer.from('later kernels'));
    t.strictSame(decode(withLength(Buffer.concat([reply, unknown])), expected), expected, 'passes over the unknown');
    const refused = (length: number) => {
      try {
        decode(reply.subarray(0, length), expected);
        return false;
      } catch (error) {
        return error instanceof NetlinkError;
      }
    };
    const lengths = Array.from({ length: reply.length - 1 }, (_, index) => index + 1);
    t.strictSame(
      lengths.filter((length) => !refused(length)),
      [],
      'refuses what is cut anywhere',
    );
    t.end();
  });

  void t.test(`decoding ${name} with a cut and a header that agrees`, (t) => {
    for (let length = 20; length < reply.length; length++) {
      try {
        decode(withLength(reply.subarray(0, length)), expected);
      } catch (error) {
        if (!(error instanceof NetlinkError)) t.fail(`at ${length} bytes throws ${String(error)}`);
      }
    }
    t.pass('never throws anything but a NetlinkError, and ends');
    t.end();
  });
}

void t.test('a destination read in place is the same as one read attribute by attribute', (t) => {
  for (const name of cases.filter((name) => name.startsWith('destination-'))) {
    readMessages(readHex(join(folder, name, 'reply.hex')), (message) => {
      const inPlace = readDestination(message, 'inet', false);
      const { statistics, ...walked } = readDestination(message, 'inet', true) ?? {};
      t.strictSame(walked, inPlace, name);
      t.equal(statistics?.outBytesPerSecond, 0n);
    });
  }
  t.end();
});

void t.test('malformed messages are refused', (t) => {
  for (const name of readdirSync(malformed)) {
    const file = join(malformed, name);
    const [first = ''] = readFileSync(file, 'utf8').split('\n');
    t.throws(
      () => {
        readMessages(readHex(file), (message) => readDestination(message, 'inet', true));
      },
      { name: 'NetlinkError', code: 'EBADMSG', detail: first.slice(2) },
      name,
    );
  }
  t.end();
});
