import { z } from 'zod';
import type { CheckKeys } from './check-schema.ts';
import { parseListen } from './parse-endpoint.ts';
import { choice, duration, flag, integer, oneOrMany, parsed, text, wanted, wholeSeconds } from './scalar-schema.ts';
import { capacityShape, checkReferenceSchema, modeSchema, serverSchema, tunnelSchema } from './server-schema.ts';

const tables = wanted('a list of servers');

/** Persistence: clients of one prefix stay with one server. */
const persistenceSchema = z.strictObject(
  {
    timeout: wholeSeconds()
      .prefault('5m')
      .describe("How long after its last connection a client's server is remembered."),
    prefix: integer(1, 32).default(32).describe('Prefix length by which IPv4 clients are grouped.'),
    prefix6: integer(1, 128).default(128).describe('Prefix length by which IPv6 clients are grouped.'),
    engine: text('a persistence engine such as "sip"', /^[a-z0-9_-]{1,16}$/)
      .optional()
      .describe('Kernel module that recognises clients, such as "sip" (UDP only).'),
  },
  { error: wanted('a table such as { timeout = "5m" }') },
);

/** The keys of a service that `[defaults]` may set too. */
export function sharedServiceShape(check: z.ZodType<CheckKeys>) {
  return {
    protocol: oneOrMany(choice(['tcp', 'udp', 'sctp']), '"tcp", "udp" or "sctp"')
      .prefault('tcp')
      .describe('Protocols.'),
    mode: modeSchema.default('nat').describe('How packets reach the servers.'),
    scheduler: text('the name of a scheduler such as "wlc", at most 15 of a-z 0-9 _ -', /^[a-z0-9_-]{1,15}$/)
      .default('wlc')
      .describe('Scheduler of the kernel, module ip_vs_NAME.'),
    scheduler_flags: z
      .array(choice(['fallback', 'port', 'flag-1', 'flag-2', 'flag-3']), { error: wanted('a list of flags') })
      .optional()
      .describe('Flags of the scheduler; default: ["fallback"] for sh and mh, else none.'),
    one_packet: flag().default(false).describe('Schedule every UDP packet by itself.'),
    persistence: persistenceSchema.optional().describe('Clients stay with their server; absent: they do not.'),
    tunnel: tunnelSchema.optional(),
    drain: duration().prefault('5m').describe('How long a removed server may finish its connections; "0s" cuts them.'),
    on_fail: choice(['weight-zero', 'remove'])
      .default('weight-zero')
      .describe('A failing server keeps its connections at weight zero, or is removed.'),
    enabled: flag().default(true).describe('Whether the service is in the kernel.'),
    weight: capacityShape.weight.default(1),
    max_connections: capacityShape.max_connections.default(0),
    min_connections: capacityShape.min_connections.default(0),
    check: checkReferenceSchema(check).optional(),
  };
}

/** A `[service.NAME]` block. */
export function serviceSchema(check: z.ZodType<CheckKeys>) {
  return z.strictObject(
    {
      listen: z
        .array(parsed('an address and port', parseListen), { error: wanted('a list such as ["192.0.2.1:80"]') })
        .min(1, { error: wanted('a list such as ["192.0.2.1:80"]') })
        .optional()
        .describe('Addresses and ports that clients connect to.'),
      fwmark: oneOrMany(integer(1, 4_294_967_295), 'a firewall mark 1..4294967295')
        .optional()
        .describe('Firewall marks to serve, instead of addresses.'),
      family: oneOrMany(choice(['inet', 'inet6']), '"inet" or "inet6"')
        .prefault('inet')
        .describe('Families of a fwmark service.'),
      pool: text('the name of a pool').optional().describe('Pool of servers.'),
      server: z.array(serverSchema(check), { error: tables }).optional().describe('Servers of its own.'),
      ...sharedServiceShape(check),
    },
    { error: wanted('a table') },
  );
}

/** A service as the file's schema yields it, defaults filled in. */
export type ServiceKeys = z.output<ReturnType<typeof serviceSchema>>;

/** A `[pool.NAME]` block. */
export function poolSchema(check: z.ZodType<CheckKeys>) {
  return z.strictObject(
    {
      servers: z.array(serverSchema(check), { error: tables }).default([]).describe('The servers.'),
      check: checkReferenceSchema(check).optional(),
    },
    { error: wanted('a table') },
  );
}

/** A pool as the file's schema yields it. */
export type PoolKeys = z.output<ReturnType<typeof poolSchema>>;
