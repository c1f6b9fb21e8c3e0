import { z } from 'zod';
import type { CheckType } from '../model/check-type.ts';
import { describeValue } from './describe-value.ts';
import { didYouMean } from './did-you-mean.ts';
import { parseAddresses } from './parse-endpoint.ts';
import { duration, integer, parsed, port } from './scalar-schema.ts';

/** The keys that every check has, beside `type` and the type's own. */
export const checkShape = {
  interval: duration(10)
    .prefault('2s')
    .describe("Time from one probe's start to the next one's while the server is up."),
  interval_down: duration(10).optional().describe('The same while the server is down; default: interval.'),
  timeout: duration(1).prefault('1s').describe('Deadline of a whole probe.'),
  rise: integer(1, 1000).default(2).describe('Passed probes in a row that bring a server back.'),
  fall: integer(1, 1000).default(3).describe('Failed probes in a row that take a server out.'),
  port: port().optional().describe("Port to probe; default: the server's."),
  address: parsed('an IP address', (text) => {
    const addresses = parseAddresses(text);
    if ('problem' in addresses) return addresses;
    const [value, second] = addresses.value;
    return value !== undefined && second === undefined ? { value } : { problem: 'not one address, but a range' };
  })
    .optional()
    .describe("Address to probe; default: the server's."),
};

/** A check as the file's schema yields it, with its defaults filled in; further keys are the options of its type. */
export type CheckKeys = z.output<z.ZodObject<typeof checkShape>> & { readonly type: string };

/** The schema of a check block or inline table, over all types of check. */
export function checkSchema(types: ReadonlyMap<string, CheckType>): z.ZodType<CheckKeys> {
  const names = [...types.keys()];
  const branches = [...types.values()].map((type) =>
    type.options
      .safeExtend({ type: z.literal(type.name).describe('Type of the check.'), ...checkShape })
      .strict()
      .describe(`A check of type ${type.name}.`),
  );
  const union = z.discriminatedUnion('type', branches as unknown as [z.core.$ZodTypeDiscriminable], {
    error: ({ input }) => wrongType(input, names),
  });
  return union as unknown as z.ZodType<CheckKeys>;
}

function wrongType(input: unknown, names: readonly string[]): string {
  const expected = names.map((name) => `"${name}"`).join(', ');
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return `wrong value (found ${describeValue(input)}, expected a table)`;
  }
  const type: unknown = (input as Record<string, unknown>)['type'];
  if (type === undefined) return `is missing (expected one of ${expected})`;
  const hint = typeof type === 'string' ? didYouMean(type, names) : '';
  return `unknown type of check (found ${describeValue(type)}, expected one of ${expected})${hint}`;
}
