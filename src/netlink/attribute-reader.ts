import { littleEndian } from './byte-order.ts';
import { NetlinkError } from './netlink-error.ts';
import { NLA_HDRLEN, NLA_TYPE_MASK } from './protocol.ts';

const EBADMSG = 74;

/**
 * Walks the attributes of a message. The error is sticky: after the first malformed attribute nothing more is
 * found and every getter answers zero, so that decoding code asks once, at the end, with `finish`.
 * Attributes that nobody asks for are passed over.
 */
export class AttributeReader {
  /** The bytes that offsets point into. */
  readonly view: DataView;
  #next: number;
  readonly #end: number;
  /** The attribute at hand, and where its payload is. */
  type = 0;
  offset = 0;
  length = 0;
  #problem = '';

  constructor(view: DataView, start = 0, end = view.byteLength) {
    this.view = view;
    this.#next = start;
    this.#end = end;
  }

  /** Moves to the next attribute; false when there is none. */
  next(): boolean {
    const start = this.#next;
    const left = this.#end - start;
    if (left <= 0) return false;
    const length = left < NLA_HDRLEN ? 0 : this.view.getUint16(start, littleEndian);
    if (length < NLA_HDRLEN || length > left) return this.#fail(`attribute of ${length} bytes where ${left} are left`);
    this.type = this.view.getUint16(start + 2, littleEndian) & NLA_TYPE_MASK;
    this.offset = start + NLA_HDRLEN;
    this.length = length - NLA_HDRLEN;
    this.#next = start + ((length + 3) & ~3);
    return true;
  }

  u8(): number {
    return this.#has(1) ? this.view.getUint8(this.offset) : 0;
  }

  u16(): number {
    return this.#has(2) ? this.view.getUint16(this.offset, littleEndian) : 0;
  }

  /** A 16-bit integer in network byte order. */
  u16be(): number {
    return this.#has(2) ? this.view.getUint16(this.offset) : 0;
  }

  u32(): number {
    return this.#has(4) ? this.view.getUint32(this.offset, littleEndian) : 0;
  }

  /** A 32-bit integer in network byte order. */
  u32be(): number {
    return this.#has(4) ? this.view.getUint32(this.offset) : 0;
  }

  u64(): bigint {
    return this.#has(8) ? this.view.getBigUint64(this.offset, littleEndian) : 0n;
  }

  /** Where at least so many bytes of payload begin, or -1 when there are fewer. */
  block(length: number): number {
    return this.#has(length) ? this.offset : -1;
  }

  /** A string, without its terminating zero. */
  text(): string {
    let text = '';
    for (let index = this.offset; index < this.offset + this.length; index++) {
      const code = this.view.getUint8(index);
      if (code === 0) break;
      text += String.fromCharCode(code);
    }
    return text;
  }

  /** A reader of the attributes inside this one. Its error is its own. */
  nested(): AttributeReader {
    return new AttributeReader(this.view, this.offset, this.offset + this.length);
  }

  /** Says that the message is malformed. @param operation - what was being done */
  finish(operation: string): void {
    if (this.#problem !== '') throw new NetlinkError(operation, EBADMSG, { detail: this.#problem });
  }

  #has(length: number): boolean {
    return this.length >= length || this.#fail(`attribute ${this.type} has ${this.length} bytes instead of ${length}`);
  }

  #fail(problem: string): false {
    if (this.#problem === '') this.#problem = problem;
    this.#next = this.#end;
    return false;
  }
}
