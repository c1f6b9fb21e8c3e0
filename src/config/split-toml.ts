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
  if (text.includes('"""') || text.includes("'''")) return undefined;
  const starts = chunkStarts(text);
  const paths = new Set<string>();
  for (const { path } of starts) {
    const key = path.join('.');
    if (paths.has(key)) return undefined;
    paths.add(key);
  }
  if (starts.some(({ path }) => path.length === 2 && paths.has(path[0] ?? ''))) return undefined;
  let linesBefore = 0;
  return starts.map(({ path, offset }, i) => {
    const chunk = { text: text.slice(offset, starts[i + 1]?.offset), linesBefore, path };
    linesBefore += countLines(chunk.text);
    return chunk;
  });
}

interface ChunkStart {
  readonly path: readonly string[];
  readonly offset: number;
}

function chunkStarts(text: string): readonly ChunkStart[] {
  const starts: ChunkStart[] = [{ path: [], offset: 0 }];
  let last = '';
  for (const match of text.matchAll(header)) {
    const path = match[2] === undefined ? [match[1] ?? ''] : [match[1] ?? '', match[2]];
    const key = path.join('.');
    if (key === last) continue;
    last = key;
    starts.push({ path, offset: match.index + (match[0].startsWith('\n') ? 1 : 0) });
  }
  return starts;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
