import { z } from 'zod';
import type { CheckType } from '../model/check-type.ts';
import { checkSchema, checkShape } from './check-schema.ts';
import { daemonSchema, timeoutsSchema } from './daemon-schema.ts';
import { choice, text, wanted } from './scalar-schema.ts';
import { poolSchema, serviceSchema, sharedServiceShape } from './service-schema.ts';

/** The schemas of the file's tables; `fileSchema` puts them together. */
export function tableSchemas(types: ReadonlyMap<string, CheckType>) {
  const check = checkSchema(types);
  return {
    include: z
      .array(text('a path or pattern'), { error: wanted('a list such as ["conf.d/*.toml"]') })
      .describe('Further files: paths and globs relative to this file, in sorted order.'),
    daemon: daemonSchema,
    defaults: defaultsSchema(types, check),
    timeouts: timeoutsSchema,
    check,
    pool: poolSchema(check),
    service: serviceSchema(check),
  };
}

/** The schemas of the file's tables. */
export type TableSchemas = ReturnType<typeof tableSchemas>;

/** `[defaults]`: any key of a service or of a check, none of them required. */
function defaultsSchema(types: ReadonlyMap<string, CheckType>, check: ReturnType<typeof checkSchema>) {
  const type = choice([...types.keys()] as [string, ...string[]]);
  const options = Object.assign({}, ...[...types.values()].map((type) => type.options.shape)) as z.ZodRawShape;
  const shape = { ...options, ...checkShape, type, ...sharedServiceShape(check) };
  return z
    .strictObject(shape, { error: wanted('a table') })
    .partial()
    .describe('Defaults of services and checks.');
}

/** The schema of a whole file: what the loader validates with, table by table, and what `ipvsd schema` prints. */
export function fileSchema(types: ReadonlyMap<string, CheckType>) {
  const { include, daemon, defaults, timeouts, check, pool, service } = tableSchemas(types);
  return z.strictObject({
    include: include.optional(),
    daemon: daemon.optional(),
    defaults: defaults.optional(),
    timeouts: timeouts.optional(),
    check: z.record(z.string(), check).optional().describe('Named health checks.'),
    pool: z.record(z.string(), pool).optional().describe('Named groups of servers.'),
    service: z.record(z.string(), service).optional().describe('Services.'),
  });
}
