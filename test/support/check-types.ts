import type { CheckType } from '../../src/model/check-type.ts';
import { z } from 'zod';

/** Check types that never probe, with keys like those of the real ones. */
export const fakeCheckTypes: ReadonlyMap<string, CheckType> = new Map(
  [
    { name: 'tcp', options: z.strictObject({}) },
    {
      name: 'http',
      options: z.strictObject({
        method: z.string().default('GET'),
        path: z.string().default('/'),
        host: z.string().optional(),
        status: z.array(z.string()).default(['2xx']),
      }),
    },
  ].map(({ name, options }) => [name, { name, options, probe: () => Promise.resolve('') }]),
);
