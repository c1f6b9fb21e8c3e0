import { littleEndian } from './byte-order.ts';
import { GENL_HDRLEN, NLA_F_NESTED, NLA_HDRLEN, NLM_F_ACK, NLM_F_REQUEST, NLMSG_HDRLEN } from './protocol.ts';

/** More than any of our messages takes, so that room is made once a message and not at every attribute. */
const largestMessage = 1024;
const longestText = 255;

/**
 * Writes generic netlink requests one after the other into one growing buffer, to go out in one datagram.
 * Integers are host-endian unless the name says otherwise (RFC 3549 section 2).
 */
export class MessageWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #position = 0;
  #message = 0;
  #count = 0;
  /** What was last written by `repeated`, and where. */
  #repeated: object | undefined;
  #repeatedStart = 0;
  #repeatedEnd = 0;

  constructor(capacity = 4096) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** How many messages are written. */
  get count(): number {
    return this.#count;
  }

  /** How many bytes they take. */
  get length(): number {
    return this.#position;
  }

  /** Forgets everything and keeps the memory. */
  clear(): void {
    this.#position = 0;
    this.#count = 0;
    this.#repeated = undefined;
  }

  /** Begins a request of a generic netlink family. @param flags - added to `NLM_F_REQUEST` */
  begin(family: number, command: number, version: number, flags: number): void {
    if (this.#position + largestMessage > this.#bytes.length) this.#grow();
    const start = this.#position;
    this.#message = start;
    this.#count += 1;
    this.#view.setUint16(start + 4, family, littleEndian);
    this.#view.setUint16(start + 6, NLM_F_REQUEST | flags, littleEndian);
    this.#view.setUint32(start + 8, 0, littleEndian);
    this.#view.setUint32(start + 12, 0, littleEndian);
    this.#view.setUint32(start + NLMSG_HDRLEN, 0, littleEndian);
    this.#bytes[start + NLMSG_HDRLEN] = command;
    this.#bytes[start + NLMSG_HDRLEN + 1] = version;
    this.#position = start + NLMSG_HDRLEN + GENL_HDRLEN;
  }

  /** Ends the request that was begun. */
  end(): void {
    this.#view.setUint32(this.#message, this.#position - this.#message, littleEndian);
  }

  /** Begins a nested attribute. @returns what `endNest` wants */
  beginNest(type: number): number {
    const start = this.#position;
    this.#header(type | NLA_F_NESTED, 0);
    this.#position = start + NLA_HDRLEN;
    return start;
  }

  /** Ends a nested attribute. */
  endNest(start: number): void {
    this.#view.setUint16(start, this.#position - start, littleEndian);
  }

  u8(type: number, value: number): void {
    this.#word(type, 1, 0);
    this.#bytes[this.#position - 4] = value;
  }

  u16(type: number, value: number): void {
    this.#word(type, 2, 0);
    this.#view.setUint16(this.#position - 4, value, littleEndian);
  }

  /** A 16-bit integer in network byte order, such as a port. */
  u16be(type: number, value: number): void {
    this.#word(type, 2, 0);
    this.#view.setUint16(this.#position - 4, value);
  }

  u32(type: number, value: number): void {
    this.#word(type, 4, value);
  }

  /** A 32-bit integer in network byte order, such as an IPv4 mask. */
  u32be(type: number, value: number): void {
    this.#word(type, 4, 0);
    this.#view.setUint32(this.#position - 4, value);
  }

  /** Two host-endian 32-bit integers, such as `struct ip_vs_flags`. */
  u32Pair(type: number, first: number, second: number): void {
    this.#header(type, 8);
    this.#view.setUint32(this.#position + 4, first, littleEndian);
    this.#view.setUint32(this.#position + 8, second, littleEndian);
    this.#position += NLA_HDRLEN + 8;
  }

  /** Sixteen bytes that the caller fills in place. @param fill - gets the buffer and the offset; the bytes are zero before */
  bytes16<T>(type: number, fill: (value: T, into: Uint8Array, offset: number) => void, value: T): void {
    const start = this.#position + NLA_HDRLEN;
    this.#header(type, 16);
    this.#bytes.fill(0, start, start + 16);
    fill(value, this.#bytes, start);
    this.#position = start + 16;
  }

  /** Writes a value; the very same one as last time is copied. Rows of one virtual service come together. */
  repeated<T extends object>(value: T, write: (writer: MessageWriter, value: T) => void): void {
    const start = this.#position;
    if (value === this.#repeated) {
      this.#bytes.copyWithin(start, this.#repeatedStart, this.#repeatedEnd);
      this.#position = start + this.#repeatedEnd - this.#repeatedStart;
      return;
    }
    write(this, value);
    this.#repeated = value;
    this.#repeatedStart = start;
    this.#repeatedEnd = this.#position;
  }

  /** A string with its terminating zero. @throws {RangeError} beyond 255 bytes, or for more than ASCII */
  text(type: number, value: string): void {
    if (value.length > longestText) throw new RangeError(`attribute text of ${value.length} bytes`);
    const start = this.#position + NLA_HDRLEN;
    const length = value.length + 1;
    this.#header(type, length);
    this.#bytes.fill(0, start, start + ((length + 3) & ~3));
    for (let index = 0; index < value.length; index++) this.#bytes[start + index] = value.charCodeAt(index);
    this.#position = start + ((length + 3) & ~3);
  }

  /**
   * The datagram: the messages get consecutive sequence numbers and the last one asks for an acknowledgement
   * (the kernel answers the others only when it refuses them). Valid until the writer is used again.
   */
  finish(firstSequence: number): Uint8Array {
    let sequence = firstSequence;
    for (let start = 0; start < this.#position; sequence = (sequence + 1) >>> 0) {
      this.#view.setUint32(start + 8, sequence, littleEndian);
      start += this.#view.getUint32(start, littleEndian);
    }
    const flags = this.#message + 6;
    this.#view.setUint16(flags, this.#view.getUint16(flags, littleEndian) | NLM_F_ACK, littleEndian);
    return this.#bytes.subarray(0, this.#position);
  }

  #word(type: number, length: number, value: number): void {
    this.#header(type, length);
    this.#view.setUint32(this.#position + NLA_HDRLEN, value, littleEndian);
    this.#position += NLA_HDRLEN + 4;
  }

  #header(type: number, length: number): void {
    this.#view.setUint16(this.#position, NLA_HDRLEN + length, littleEndian);
    this.#view.setUint16(this.#position + 2, type, littleEndian);
  }

  #grow(): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#position + largestMessage));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}
