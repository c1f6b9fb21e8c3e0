import { readFileSync } from 'node:fs';

/** Bytes of netlink, put together without the code under test. Little-endian, as recorded. */

/** A file of hexadecimal digits with `#` comments. */
export function readHex(file: string): Buffer {
  return Buffer.from(readFileSync(file, 'utf8').replace(/#.*/g, '').replace(/\s/g, ''), 'hex');
}

/** A 32-bit integer. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value | 0);
  return bytes;
}

/** An attribute, padded. */
export function attribute(type: number, ...payload: readonly Buffer[]): Buffer {
  const body = Buffer.concat(payload);
  const header = Buffer.alloc(4);
  header.writeUInt16LE(4 + body.length, 0);
  header.writeUInt16LE(type, 2);
  return Buffer.concat([header, body, Buffer.alloc(-body.length & 3)]);
}

/** A message. */
export function message(type: number, flags: number, sequence: number, ...payload: readonly Buffer[]): Buffer {
  const body = Buffer.concat(payload);
  const header = Buffer.alloc(16);
  header.writeUInt32LE(16 + body.length, 0);
  header.writeUInt16LE(type, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt32LE(sequence, 8);
  return Buffer.concat([header, body]);
}

/** The answer to one request: 0, or an error number; with an extended text on request. */
export function acknowledgement(sequence: number, errno = 0, text = ''): Buffer {
  const echoed = message(0, 0, sequence);
  const extended = text === '' ? [] : [attribute(1, Buffer.from(`${text}\0`))];
  return message(2, text === '' ? 0x100 : 0x300, sequence, u32(-errno), echoed, ...extended);
}

/** The end of a dump. */
export function done(sequence: number, flags = 2): Buffer {
  return message(3, flags, sequence, u32(0));
}

/** A request as the kernel sees it. */
export interface Request {
  readonly type: number;
  readonly flags: number;
  readonly sequence: number;
  readonly command: number;
  readonly attributes: Buffer;
}

/** The requests of a datagram. */
export function requestsOf(datagram: Uint8Array): readonly Request[] {
  const bytes = Buffer.from(datagram);
  const requests: Request[] = [];
  for (let start = 0; start < bytes.length; start += bytes.readUInt32LE(start)) {
    requests.push({
      type: bytes.readUInt16LE(start + 4),
      flags: bytes.readUInt16LE(start + 6),
      sequence: bytes.readUInt32LE(start + 8),
      command: bytes[start + 16] ?? 0,
      attributes: bytes.subarray(start + 20, start + bytes.readUInt32LE(start)),
    });
  }
  return requests;
}

/** The payload of the attribute of that type. */
export function find(attributes: Buffer, type: number): Buffer | undefined {
  for (let start = 0; start < attributes.length; start += (attributes.readUInt16LE(start) + 3) & ~3) {
    const length = attributes.readUInt16LE(start);
    if ((attributes.readUInt16LE(start + 2) & 0x3fff) === type) return attributes.subarray(start + 4, start + length);
  }
  return undefined;
}
