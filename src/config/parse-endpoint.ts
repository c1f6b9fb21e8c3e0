import { type Address, parseAddress } from '../model/address.ts';

/** A parsed value, or why the text is none. */
export type Parsed<Value> = { readonly value: Value } | { readonly problem: string };

/** Why no packet can be balanced for, or sent to, an address; undefined when it is usable. */
export function refuseAddress(address: Address): string | undefined {
  if (address === '0.0.0.0' || address === '::') return 'the unspecified address';
  if (address === '255.255.255.255') return 'the broadcast address';
  if (/^(22[4-9]|23\d)\./.test(address) || /^ff..:/.test(address)) return 'a multicast address';
  if (address.startsWith('::ffff:')) return 'an IPv4-mapped address: write it as IPv4';
  return undefined;
}

/** The addresses of `10.0.0.11`, `10.0.0.11-13` or `2001:db8::1`, canonical; multicast and the like are refused. */
export function parseAddresses(text: string): Parsed<readonly Address[]> {
  if (text.includes('%')) return { problem: `zone identifiers are not supported (found ${JSON.stringify(text)})` };
  const range = /^(\d+\.\d+\.\d+\.)(\d{1,3})-(\d{1,3})$/.exec(text);
  const texts = range ? expandLastOctet(range[1] ?? '', Number(range[2]), Number(range[3])) : [text];
  const addresses: Address[] = [];
  for (const one of texts) {
    const address = parseAddress(one);
    if (address === undefined) return { problem: notAnAddress(text) };
    const refused = refuseAddress(address);
    if (refused !== undefined)
      return { problem: `cannot be used (found ${JSON.stringify(text)}, which is ${refused})` };
    addresses.push(address);
  }
  return addresses.length > 0
    ? { value: addresses }
    : { problem: `range runs backwards (found ${JSON.stringify(text)})` };
}

function notAnAddress(text: string): string {
  return `not an IP address (found ${JSON.stringify(text)}, expected one such as "192.0.2.1", "192.0.2.1-9" or "2001:db8::1")`;
}

function expandLastOctet(network: string, first: number, last: number): string[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => `${network}${first + i}`);
}

/** Addresses and ports to listen on. */
export interface ListenRange {
  readonly addresses: readonly Address[];
  /** First and last port, inclusive; 0 only alone. */
  readonly ports: readonly [number, number];
}

const listenForm = '"192.0.2.1:80", "[2001:db8::1]:80" or "192.0.2.1:5000-5009"';

/** What `192.0.2.1:80`, `[2001:db8::1]:80` and their ranges `192.0.2.1-3:80`, `192.0.2.1:5000-5009` stand for. */
export function parseListen(text: string): Parsed<ListenRange> {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,9})(?:-(\d{1,9}))?$/.exec(text);
  if (!match) return { problem: `not an address and port (found ${JSON.stringify(text)}, expected ${listenForm})` };
  const [, inet6, inet, firstText, lastText] = match;
  if (inet6 !== undefined && !inet6.includes(':')) {
    return { problem: `brackets are for IPv6 (found ${JSON.stringify(text)}, expected ${listenForm})` };
  }
  const addresses = parseAddresses(inet6 ?? inet ?? '');
  if ('problem' in addresses) return addresses;
  const first = Number(firstText);
  const last = lastText === undefined ? first : Number(lastText);
  if (last > 65535 || (first === 0 && last > 0)) {
    return { problem: `port out of range (found ${JSON.stringify(text)}, expected 1..65535)` };
  }
  if (last < first) return { problem: `range runs backwards (found ${JSON.stringify(text)})` };
  return { value: { addresses: addresses.value, ports: [first, last] } };
}

/** The address and port of `127.0.0.1:9790` or `[::1]:9790`, to bind to; the unspecified address is every address. */
export function parseEndpoint(text: string): Parsed<{ readonly address: Address; readonly port: number }> {
  const match = /^(?:\[([^\]]*:[^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const address = match && parseAddress(match[1] ?? match[2] ?? '');
  const port = Number(match?.[3]);
  return address && port >= 1 && port <= 65535
    ? { value: { address, port } }
    : { problem: `not an address and port (found ${JSON.stringify(text)}, expected one such as "127.0.0.1:9790")` };
}
