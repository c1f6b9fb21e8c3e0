import { isIP } from 'node:net';
import { z } from 'zod';
import { endpoint } from '../../model/address.ts';
import type { CheckType } from '../../model/check-type.ts';
import { exchange } from '../http-exchange.ts';
import { secureContext } from '../secure-context.ts';
import { httpOptions } from '../http-options.ts';

const options = z.strictObject({
  ...httpOptions.shape,
  sni: z
    .string()
    .regex(/^[\w.-]+$/, 'must be a host name')
    .optional()
    .describe('Server name in the TLS handshake, and in the certificate; the name in `host` when absent.'),
  verify: z.boolean().default(true).describe('Whether the certificate must be valid for the name (or address).'),
  ca: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file of the authorities to trust; those built into Node when absent. Read again when it changes.'),
});

/** The options of an `https` check. */
export type HttpsOptions = z.output<typeof options>;

/** `https`: as `http`, over TLS. */
export const https: CheckType<HttpsOptions> = {
  name: 'https',
  options,
  async probe(target, options, context) {
    const [{ request }, { connect }] = await Promise.all([import('node:http'), import('node:tls')]);
    const secure = await secureContext(options.ca);
    const { address, port } = target;
    const servername = options.sni ?? nameIn(options.host);
    return exchange(options, context, {
      request,
      host: options.host ?? (port === 443 ? endpoint(address, port).slice(0, -4) : endpoint(address, port)),
      connect({ waitFor }) {
        const socket = connect({
          host: address,
          port,
          secureContext: secure,
          rejectUnauthorized: options.verify,
          ...(servername === undefined ? {} : { servername }),
        });
        socket.once('connect', () => {
          waitFor('TLS handshake');
        });
        socket.once('secureConnect', () => {
          waitFor('response');
        });
        return socket;
      },
    });
  },
};

/** The host name in a Host header, or undefined when it is an address, which SNI cannot carry (RFC 6066 section 3). */
function nameIn(host = ''): string | undefined {
  const name = host.replace(/:\d+$/, '');
  return name === '' || name.startsWith('[') || isIP(name) !== 0 ? undefined : name;
}
