/** A part of a TOML text that stands for itself: one table of the file with everything below it. */
export interface Chunk {
  readonly text: string;
  /** Lines before it. */
  readonly linesBefore: number;
  /** The one path that it defines: none for the keys before the first table, `[daemon]`, or `[service.www]`. */
  readonly path: readonly string[];
}

/** A header of bare keys, as far as the end of its second key. No `m` flag: it takes U+2028 for the end of a line. */
const header = /(?:^|\n)[ \t]*\[\[?[ \t]*([\w-]+)[ \t]*(?:\.[ \t]*([\w-]+)[ \t]*)?(?=[\].])/g;

/**
 * Splits a TOML text at the headers of its tables, so that parsing the chunks one by one yields what parsing the whole
 * would. A chunk may turn out not to be what its header says (see `joinChunks`).
 * @returns undefined when that is in doubt: multi-line strings, or a table that stands in two places
 */
export function splitToml(text: string): readonly Chunk[] | undefined {
  const steps = splitInSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in steps of a few milliseconds, for large texts. */
export function* splitInSteps(text: string): Generator<undefined, readonly Chunk[] | undefined> {
  if (text.includes('"""') || text.includes("'''")) return undefined;
  const starts = yield* chunkStarts(text);
  if (!areDistinct(starts)) return undefined;
  const chunks: Chunk[] = [];
  let linesBefore = 0;
  for (const [i, { path, offset }] of starts.entries()) {
    const part = text.slice(offset, starts[i + 1]?.offset);
    chunks.push({ text: part, linesBefore, path });
    linesBefore += countLines(part);
    if (i % 1000 === 999) yield;
  }
  return chunks;
}

interface ChunkStart {
  readonly path: readonly string[];
  readonly offset: number;
}

function* chunkStarts(text: string): Generator<undefined, readonly ChunkStart[]> {
  const starts: ChunkStart[] = [{ path: [], offset: 0 }];
  let last = '';
  let count = 0;
  for (const match of text.matchAll(header)) {
    if (++count % 2000 === 0) yield;
    const [whole, first = '', second] = match;
    const key = second === undefined ? first : `${first}.${second}`;
    if (key === last) continue;
    last = key;
    const path = second === undefined ? [first] : [first, second];
    starts.push({ path, offset: match.index + (whole.startsWith('\n') ? 1 : 0) });
  }
  return starts;
}

/** Whether every path stands once, and none is within another one. */
function areDistinct(starts: readonly ChunkStart[]): boolean {
  const paths = new Set(starts.map(({ path }) => path.join('.')));
  return paths.size === starts.length && !starts.some(({ path }) => path.length === 2 && paths.has(path[0] ?? ''));
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
