import { SocketAddress, isIP } from 'node:net';

/** Address family, in iproute2's and the kernel's words: `inet` is IPv4, `inet6` is IPv6. */
export type Family = 'inet' | 'inet6';

/** An IP address in its one canonical spelling (dotted quad, or RFC 5952), so that equal addresses are equal strings. */
export type Address = string;

/** The canonical spelling of an IP address, or undefined when the text is not one. Zone identifiers are refused. */
export function parseAddress(text: string): Address | undefined {
  switch (isIP(text)) {
    case 4:
      return text;
    case 6:
      return text.includes('%') ? undefined : new SocketAddress({ address: text, family: 'ipv6' }).address;
    default:
      return undefined;
  }
}

/** The family of a canonical address. */
export function familyOf(address: Address): Family {
  return address.includes(':') ? 'inet6' : 'inet';
}

/** `192.0.2.1:80` or `[2001:db8::1]:80`, as it is written in the file and in URLs (RFC 3986 section 3.2.2). */
export function endpoint(address: Address, port: number): string {
  return familyOf(address) === 'inet6' ? `[${address}]:${port}` : `${address}:${port}`;
}
