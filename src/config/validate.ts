import type { z } from 'zod';
import { didYouMean } from './did-you-mean.ts';
import { type Finding, type Path, type Place, below, errorAt } from './finding.ts';
import { knownKeys } from './known-keys.ts';
import { wanted } from './scalar-schema.ts';

/** A validated value, or findings that say why there is none. */
export type Validated<Value> =
  | { readonly value: Value; readonly findings?: undefined }
  | { readonly value?: undefined; readonly findings: readonly Finding[] };

/** Validates what stands at a place, and words every issue of zod in our own way. */
export function validate<Value>(schema: z.ZodType<Value>, input: unknown, place: Place): Validated<Value> {
  const result = schema.safeParse(input, { error: wording });
  return result.success
    ? { value: result.data }
    : { findings: result.error.issues.flatMap((issue) => findingsOf(issue, schema, place, [])) };
}

/** The wording of issues whose schema has none of its own, such as those of check types. */
function wording(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return wanted(issue.expected)(issue);
    case 'invalid_value':
      return wanted(`one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`)(issue);
    case 'too_small':
      return wanted(`at least ${issue.minimum}`)(issue);
    case 'too_big':
      return wanted(`at most ${issue.maximum}`)(issue);
    case 'invalid_format':
      return wanted(issue.pattern === undefined ? `a valid ${issue.format}` : `text like ${issue.pattern}`)(issue);
    default:
      return undefined;
  }
}

type Issue = z.core.$ZodIssue;

function findingsOf(issue: Issue, schema: z.ZodType, place: Place, outer: Path): readonly Finding[] {
  const path = [...outer, ...(issue.path as (string | number)[])];
  const at = below(place, ...path);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, path);
    return issue.keys.map((key) => unknownKey(below(at, key), known));
  }
  const branch = issue.code === 'invalid_union' ? issue.errors.find(isMeant) : undefined;
  return branch ? branch.flatMap((inner) => findingsOf(inner, schema, place, path)) : [errorAt(at, issue.message)];
}

/** Whether a branch of a union is the one a person meant: its kind of value is right, and something within is wrong. */
function isMeant(branch: readonly Issue[]): boolean {
  return branch.length > 0 && branch.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys');
}

/** An unknown key, with the known one that was probably meant. */
export function unknownKey(place: Place, known: Iterable<string>): Finding {
  const key = String(place.path.at(-1));
  return { ...errorAt(place, `unknown key${didYouMean(key, known)}`), atKey: true };
}
