import { z } from 'zod';

const regularExpression = z.string().superRefine((text, context) => {
  try {
    new RegExp(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message.toLowerCase() });
  }
});

/** The keys that `http` and `https` share. */
export const httpOptions = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'OPTIONS', 'POST']).default('GET').describe('Request method.'),
  path: z
    .string()
    .regex(/^\/[\x21-\x7e]*$/, 'must start with "/" and hold no spaces (write %20)')
    .default('/')
    .describe('Path and query to ask for.'),
  host: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be a host name, with a port if need be')
    .optional()
    .describe('Host header; the address and port when absent.'),
  headers: z
    .record(
      z.string().regex(/^(?!host$)[!#$%&'*+.^_`|~\w-]+$/i, 'must be the name of a header (Host has a key of its own)'),
      z.string().regex(/^[\t\x20-\x7e]*$/, 'must be one line of ASCII'),
    )
    .default({})
    .describe('Further request headers.'),
  status: z
    .array(
      z.union([
        z.int().min(100).max(599),
        z.string().regex(/^([1-5]xx|[1-5]\d\d(-[1-5]\d\d)?)$/, 'must be like 200, "2xx" or "200-399"'),
      ]),
    )
    .min(1)
    .default(['2xx'])
    .describe('Status codes that pass: 200, "2xx", "200-399". Redirects are not followed.'),
  body: regularExpression
    .optional()
    .describe('Regular expression (JavaScript) that the first 64 KiB of the body must match.'),
});

/** The options of an `http` check. */
export type HttpOptions = z.output<typeof httpOptions>;
