import { z } from 'zod';
import type { CheckKeys } from './check-schema.ts';
import { parseAddresses } from './parse-endpoint.ts';
import { choice, flag, integer, parsed, port, text, wanted } from './scalar-schema.ts';

const int32Max = 2_147_483_647;

/** Names of checks, pools, services and servers: what can stand in a dotted path, a command line and a metric's label. */
export const namePattern = /^[\p{L}\p{N}_][\p{L}\p{N}_.:@-]{0,63}$/u;

/** A name, in words. */
export const nameForm = 'a name of at most 64 letters, digits and _ . : @ -';

/** How packets reach the servers. */
export const modeSchema = choice(['nat', 'dr', 'tun', 'fullnat']);

/** The encapsulation of mode `tun`. */
export const tunnelSchema = z
  .strictObject(
    {
      type: choice(['ipip', 'gue', 'gre']).default('ipip').describe('Encapsulation.'),
      port: port().optional().describe('UDP port of GUE; default 6080. The other types have none.'),
      checksum: choice(['none', 'full', 'remote'])
        .default('none')
        .describe('Checksums of GUE (any) and GRE (none, full).'),
    },
    { error: wanted('a table such as { type = "gue", port = 6080 }') },
  )
  .describe('Tunnel of mode "tun".');

/** Weight, thresholds: what a service sets for its servers and a server may set for itself. */
export const capacityShape = {
  weight: integer(0, int32Max).describe(
    'Share of new connections; at 0 a server keeps its connections and gets no more.',
  ),
  max_connections: integer(0, int32Max).describe('Connections at which a server gets no more; 0: no limit.'),
  min_connections: integer(0, int32Max).describe(
    'Connections below which it gets more again; 0: three quarters of the maximum.',
  ),
};

/** The name of a check, "none", or a check as an inline table. */
export function checkReferenceSchema(check: z.ZodType<CheckKeys>) {
  const error = wanted('the name of a check, "none", or a table such as { type = "tcp" }');
  return z
    .union([text('the name of a check'), check], { error })
    .describe('Health check: its name, a table, or "none".');
}

/** A server of a pool or service. */
export function serverSchema(check: z.ZodType<CheckKeys>) {
  return z.strictObject(
    {
      address: parsed('an IP address such as "10.0.0.11"', parseAddresses).describe(
        'IPv4 or IPv6 address, or a range of IPv4 addresses such as "10.0.0.11-13".',
      ),
      name: text(nameForm, namePattern).optional().describe('Name for people; default: address:port.'),
      port: port().optional().describe('Port of the server; default: the one the service listens on. Mode "nat" only.'),
      enabled: flag().default(true).describe('Whether it may serve.'),
      weight: capacityShape.weight.optional(),
      max_connections: capacityShape.max_connections.optional(),
      min_connections: capacityShape.min_connections.optional(),
      mode: modeSchema.optional().describe("Default: the service's."),
      tunnel: tunnelSchema.optional(),
      check: checkReferenceSchema(check).optional(),
    },
    { error: wanted('a table such as { address = "10.0.0.11", port = 8080 }') },
  );
}

/** A server as the file's schema yields it. */
export type ServerKeys = z.output<ReturnType<typeof serverSchema>>;
