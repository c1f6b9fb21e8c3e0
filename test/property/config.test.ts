import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { ConfigBuilder } from '../../src/config/build-config.ts';
import { tableSchemas } from '../../src/config/file-schema.ts';
import { joinChunks } from '../../src/config/join-chunks.ts';
import { mergeDocuments } from '../../src/config/merge-documents.ts';
import { parseToml } from '../../src/config/parse-toml.ts';
import { problemsOf } from '../../src/config/problems.ts';
import { splitToml } from '../../src/config/split-toml.ts';
import { fakeCheckTypes } from '../support/check-types.ts';
import { root } from '../support/root.ts';

const name = fc.constantFrom('a', 'b', 'c', '1', '"a"', '"x y"', '__proto__');
const dotted = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('.'));
const headerLine = fc
  .record({
    path: dotted,
    array: fc.boolean(),
    indent: fc.constantFrom('', ' ', '\t'),
    tail: fc.constantFrom('', ' # [a.b]', ' '),
  })
  .map(({ path, array, indent, tail }) => `${indent}${array ? `[[${path}]]` : `[ ${path} ]`}${tail}`);
const value = fc.constantFrom(
  '1',
  'true',
  '"[a.b]"',
  "'[a]'",
  '[\n  [1],\n  [true]\n]',
  '[\n[1]\n]',
  '{ x = 1, y = [2] }',
  '{ x = 1,\n y = [\n[1]] }',
  '"""\n[a.b]\n"""',
  "'''\n[a]\nx = 1'''",
  '1979-05-27',
  '[',
);
const pair = fc.tuple(dotted, value).map(([path, text]) => `${path} = ${text}`);
const comment = fc.constantFrom('# [a.b]', '#\u2028[a.b]', '', '  ');
const line = fc.oneof(
  { weight: 4, arbitrary: headerLine },
  { weight: 4, arbitrary: pair },
  { weight: 1, arbitrary: comment },
  { weight: 1, arbitrary: fc.constantFrom('x', '[', ']', '[a', '[a.b]]') },
);
const document = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => lines.join(end));

void t.test('joinChunks(splitToml()) yields what parsing the whole text yields, or gives up', (t) => {
  let joined = 0;
  fc.assert(
    fc.property(document, (text) => {
      const chunks = splitToml(text);
      const parts =
        chunks &&
        joinChunks(
          chunks,
          chunks.map((chunk) => parseToml(chunk.text)),
        );
      if (!parts) return;
      joined += 1;
      const whole = parseToml(text);
      if (!('value' in whole)) throw new Error(`accepted what is not TOML: ${whole.message}`);
      assert.deepEqual(plain(parts), plain(whole.value));
    }),
    { numRuns: 2000 },
  );
  t.ok(joined > 100, `${joined} of the documents could be split`);
  t.end();
});

void t.test('splitToml() keeps every character and counts the lines before each chunk', (t) => {
  fc.assert(
    fc.property(document, (text) => {
      const chunks = splitToml(text) ?? [];
      if (chunks.length === 0) return true;
      let before = '';
      for (const chunk of chunks) {
        if (before.split('\n').length - 1 !== chunk.linesBefore) return false;
        before += chunk.text;
      }
      return before === text;
    }),
  );
  t.end();
});

const folder = join(root, 'fixtures/config/good');
const goodTexts = readdirSync(folder)
  .filter((file) => file.endsWith('.toml'))
  .map((file) => readFileSync(join(folder, file), 'utf8'));

void t.test(
  'a damaged configuration is accepted or rejected with problems at places in it, never anything else',
  async (t) => {
    const builder = new ConfigBuilder(fakeCheckTypes, tableSchemas(fakeCheckTypes));
    let rejected = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...goodTexts),
        fc.array(damage(), { minLength: 1, maxLength: 3 }),
        async (text, all) => {
          const damaged = all.reduce((before, change) => change(before), text);
          const parsed = parseToml(damaged);
          if (!('value' in parsed)) return parsed.line >= 1 && parsed.column >= 1;
          const merged = await mergeDocuments([{ file: 'f', value: parsed.value }], () => undefined);
          const { findings } = await builder.build(merged, () => undefined);
          const problems = await problemsOf(findings, new Map([['f', damaged]]), () => undefined);
          rejected += problems.length > 0 ? 1 : 0;
          const lines = damaged.split('\n');
          return problems.every((problem) => {
            const { line: row, column, message } = problem;
            return (
              column >= 1 && column <= (lines[row - 1] ?? '').length + 1 && !/undefined|Invalid|\[object/.test(message)
            );
          });
        },
      ),
      { numRuns: 250 },
    );
    t.ok(rejected > 0, `${rejected} were rejected`);
  },
);

/** Damages a text: a word is replaced, a line is lost, doubled or moved. */
function damage(): fc.Arbitrary<(text: string) => string> {
  const word = fc.constantFrom(
    '0',
    '-1',
    '99999',
    '"x"',
    '[]',
    '{}',
    'true',
    '"::"',
    '"10.0.0.11"',
    'port',
    'weight',
    '"none"',
    '1.5',
  );
  return fc.tuple(fc.nat(), fc.nat(3), word).map(([at, kind, replacement]) => (text) => {
    const words = [...text.matchAll(/"[^"\n]*"|[\w-]+/g)];
    const lines = text.split('\n');
    const chosen = words[at % Math.max(1, words.length)];
    const row = at % lines.length;
    if (kind === 0) lines.splice(row, 1);
    else if (kind === 1) lines.splice(row, 0, lines[row] ?? '');
    else if (chosen) return text.slice(0, chosen.index) + replacement + text.slice(chosen.index + chosen[0].length);
    return lines.join('\n');
  });
}

/** The same value without the difference between tables with and without a prototype. */
function plain(input: unknown): unknown {
  if (Array.isArray(input)) return input.map(plain);
  if (typeof input !== 'object' || input === null || input instanceof Date) return input;
  return new Map(Object.entries(input).map(([key, inner]) => [key, plain(inner)]));
}
