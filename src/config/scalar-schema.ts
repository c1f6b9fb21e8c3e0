import { z } from 'zod';
import { describeValue } from './describe-value.ts';
import { didYouMean } from './did-you-mean.ts';
import { parseDuration } from './parse-duration.ts';

/** Longest duration that a timer of Node can wait for, 2^31-1 ms. */
const longestMs = 2_147_483_647;

/** The wording of every wrong value: what was found and what was expected. */
export function wanted(expected: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) =>
    input === undefined ? `is missing (expected ${expected})` : `wrong value (${foundExpected(input, expected)})`;
}

/** `found …, expected …`. */
export function foundExpected(input: unknown, expected: string): string {
  return `found ${describeValue(input)}, expected ${expected}`;
}

/** A whole number within bounds. */
export function integer(min: number, max: number): z.ZodInt {
  const error = wanted(`a whole number ${min}..${max}`);
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** A port number that packets can have. */
export function port(): z.ZodInt {
  return integer(1, 65535);
}

/** true or false. */
export function flag(): z.ZodBoolean {
  return z.boolean({ error: wanted('true or false') });
}

/** A string that matches a pattern, described in words. */
export function text(expected: string, pattern = /^.+$/u): z.ZodString {
  const error = wanted(expected);
  return z.string({ error }).regex(pattern, { error });
}

/** One of a few words. */
export function choice<const Words extends readonly [string, ...string[]]>(
  words: Words,
): z.ZodEnum<{ [Word in Words[number]]: Word }> {
  const expected = words.map((word) => `"${word}"`).join(', ');
  const say = wanted(words.length === 1 ? expected : `one of ${expected}`);
  return z.enum(words, {
    error: (issue) => say(issue) + (typeof issue.input === 'string' ? didYouMean(issue.input, words) : ''),
  });
}

/** A string that a function turns into a value, or into the reason why it cannot: `{ problem: "…" }`. */
export function parsed<Value>(
  expected: string,
  parse: (text: string) => { readonly value: Value } | { readonly problem: string },
): z.ZodPipe<z.ZodString, z.ZodTransform<Value, string>> {
  return z.string({ error: wanted(expected) }).transform((input, context) => {
    const result = parse(input);
    if ('value' in result) return result.value;
    context.issues.push({ code: 'custom', message: result.problem, input });
    return z.NEVER;
  });
}

/** A duration such as "2s" within bounds, in milliseconds. */
export function duration(minMs = 0, maxMs = longestMs): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  const expected = `a duration such as "500ms", "2s" or "5m"`;
  return parsed(expected, (input) => {
    const ms = parseDuration(input);
    if (ms === undefined) return { problem: wanted(expected)({ input }) };
    if (ms >= minMs && ms <= maxMs) return { value: ms };
    const limit =
      ms < minMs
        ? `at least "${minMs % 1000 === 0 ? `${minMs / 1000}s` : `${minMs}ms`}"`
        : `at most "${Math.floor(maxMs / 1000)}s"`;
    return { problem: `out of range (${foundExpected(input, limit)})` };
  });
}

/** A duration that the kernel counts in whole seconds, from one second to 2147483 s (its limit at HZ=1000). */
export function wholeSeconds(): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  const maxSeconds = 2_147_483;
  return parsed(`a duration of whole seconds such as "5m"`, (input) => {
    const ms = parseDuration(input);
    return ms !== undefined && ms % 1000 === 0 && ms >= 1000 && ms <= maxSeconds * 1000
      ? { value: ms / 1000 }
      : { problem: wanted(`a duration of whole seconds, "1s".."${maxSeconds}s"`)({ input }) };
  });
}

/** A value, or a list of at least one; always a list once parsed. */
export function oneOrMany<Item extends z.ZodType>(item: Item, expected: string) {
  const error = wanted(`${expected}, or a list of them`);
  const list = z.array(item, { error }).min(1, { error });
  return z.union([item.transform((value) => [value]), list], { error });
}
