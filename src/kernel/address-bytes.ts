import { type Address, type Family, familyOf, parseAddress } from '../model/address.ts';

/** `AF_INET` and `AF_INET6`. */
const numbers: Readonly<Record<Family, number>> = { inet: 2, inet6: 10 };

/** The kernel's number of an address family. */
export function familyNumber(family: Family): number {
  return numbers[family];
}

/** The address family of a kernel's number, or undefined when it is neither IPv4 nor IPv6. */
export function familyOfNumber(number: number): Family | undefined {
  if (number === numbers.inet) return 'inet';
  return number === numbers.inet6 ? 'inet6' : undefined;
}

/** Writes an address in network byte order: 4 bytes, or 16. */
export function writeAddress(address: Address, into: Uint8Array, offset: number): void {
  if (familyOf(address) === 'inet') writeInet(address, 0, into, offset);
  else writeInet6(address, into, offset);
}

function writeInet(text: string, start: number, into: Uint8Array, offset: number): void {
  let value = 0;
  let position = offset;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === dot) {
      into[position++] = value;
      value = 0;
    } else {
      value = value * 10 + code - zero;
    }
  }
  into[position] = value;
}

const dot = '.'.charCodeAt(0);
const colon = ':'.charCodeAt(0);
const zero = '0'.charCodeAt(0);

function writeInet6(text: string, into: Uint8Array, offset: number): void {
  let position = offset;
  let gap = -1;
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const code = index === text.length ? colon : text.charCodeAt(index);
    if (code === dot) {
      writeInet(text, start, into, position);
      position += 4;
      break;
    }
    if (code !== colon) continue;
    if (index > start) position = writeGroup(parseInt(text.slice(start, index), 16), into, position);
    else if (index < text.length) gap = position;
    start = index + 1;
  }
  if (gap < 0) return;
  const tail = offset + 16 - (position - gap);
  into.copyWithin(tail, gap, position);
  into.fill(0, gap, tail);
}

function writeGroup(group: number, into: Uint8Array, position: number): number {
  into[position] = group >> 8;
  into[position + 1] = group;
  return position + 2;
}

/** The address at an offset, in its canonical spelling. */
export function readAddress(family: Family, view: DataView, offset: number): Address {
  return family === 'inet' ? readInet(view, offset) : readInet6(view, offset);
}

function readInet(view: DataView, offset: number): Address {
  const first = `${view.getUint8(offset)}.${view.getUint8(offset + 1)}`;
  return `${first}.${view.getUint8(offset + 2)}.${view.getUint8(offset + 3)}`;
}

function readInet6(view: DataView, offset: number): Address {
  let text = view.getUint16(offset).toString(16);
  for (let index = 2; index < 16; index += 2) text += `:${view.getUint16(offset + index).toString(16)}`;
  return canonical(text);
}

/** Canonical spelling costs about a microsecond, and the same addresses are read each round. */
const spellings = new Map<string, Address>();
const mostSpellings = 100_000;

function canonical(text: string): Address {
  let address = spellings.get(text);
  if (address === undefined) {
    if (spellings.size >= mostSpellings) spellings.clear();
    address = parseAddress(text) ?? text;
    spellings.set(text, address);
  }
  return address;
}
