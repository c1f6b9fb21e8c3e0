import { type Problem, formatProblem } from '../model/problem.ts';
import type { Finding, Path, Place } from './finding.ts';
import { type OpenLocator, type Position, loadLocator } from './locate.ts';
import { type Chunk, splitToml } from './split-toml.ts';

type Locate = (place: Place, atKey: boolean) => Position;

/** Findings as problems with positions, each once, sorted by file (in the order read) and position. */
export async function problemsOf(
  findings: readonly Finding[],
  texts: ReadonlyMap<string, string>,
  pause: () => Promise<void> | undefined,
): Promise<readonly Problem[]> {
  if (findings.length === 0) return [];
  const open = await loadLocator();
  const locate = placeLocator(texts, open);
  const problems = new Map<string, Problem>();
  for (const finding of findings) {
    const problem = problemOf(finding, locate);
    problems.set(formatProblem(problem), problem);
    await pause();
  }
  const order = new Map([...texts.keys()].map((file, i) => [file, i]));
  const rank = ({ file }: Problem): number => order.get(file) ?? -1;
  return [...problems.values()].sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column);
}

/** Looks places up in the chunk of their file that they stand in: a whole file with its positions takes long to parse. */
function placeLocator(texts: ReadonlyMap<string, string>, open: OpenLocator): Locate {
  const files = new Map<string, readonly Chunk[]>();
  const chunks = new Map<Chunk, ReturnType<OpenLocator>>();
  const findIn = (chunk: Chunk, path: Path, atKey: boolean): Position | undefined => {
    const find = chunks.get(chunk) ?? open(chunk.text);
    chunks.set(chunk, find);
    const position = find(path, atKey);
    return position && { line: position.line + chunk.linesBefore, column: position.column };
  };
  return ({ file, path }, atKey) => {
    const text = texts.get(file);
    if (text === undefined || path.length === 0) return nowhere;
    const split = files.get(file) ?? [{ text, linesBefore: 0, path: [] }, ...(splitToml(text) ?? [])];
    files.set(file, split);
    const [whole, ...parts] = split;
    const part = parts.find((chunk) => isAround(chunk, path));
    return (part && findIn(part, path, atKey)) ?? (whole && findIn(whole, path, atKey)) ?? nowhere;
  };
}

/** The position of a whole file. */
const nowhere: Position = { line: 0, column: 0 };

function isAround(chunk: Chunk, [first, second]: Path): boolean {
  const { path } = chunk;
  return path.length > 0 && path[0] === first && (path.length === 1 || path[1] === second);
}

function problemOf({ file, path, message, severity, atKey = false, first }: Finding, locate: Locate): Problem {
  const position = locate({ file, path }, atKey);
  const earlier = first && locate(first, false);
  const also = first && earlier ? ` (first at ${first.file}:${earlier.line}:${earlier.column})` : '';
  return { file, ...position, path: dotted(path), message: message + also, severity };
}

/** `service.www.listen[0]`. */
function dotted(path: Path): string {
  return path
    .map((part, i) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = /^[\w-]+$/.test(part) ? part : JSON.stringify(part);
      return i === 0 ? name : `.${name}`;
    })
    .join('');
}
