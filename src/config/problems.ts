import { type Problem, formatProblem } from '../model/problem.ts';
import type { Finding, Path, Place } from './finding.ts';
import { type Position, loadLocator } from './locate.ts';

type Locate = (place: Place, atKey: boolean) => Position;

/** Findings as problems with positions, each once, sorted by file (in the order read) and position. */
export async function problemsOf(
  findings: readonly Finding[],
  texts: ReadonlyMap<string, string>,
): Promise<readonly Problem[]> {
  if (findings.length === 0) return [];
  const locate = await placeLocator(texts);
  const order = [...texts.keys()];
  const problems = new Map<string, Problem>();
  for (const finding of findings) {
    const problem = problemOf(finding, locate);
    problems.set(formatProblem(problem), problem);
  }
  const rank = ({ file }: Problem): number => order.indexOf(file);
  return [...problems.values()].sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column);
}

async function placeLocator(texts: ReadonlyMap<string, string>): Promise<Locate> {
  const open = await loadLocator();
  const files = new Map<string, ReturnType<typeof open>>();
  return ({ file, path }, atKey) => {
    const text = texts.get(file);
    if (text === undefined || path.length === 0) return { line: 0, column: 0 };
    const find = files.get(file) ?? open(text);
    files.set(file, find);
    return find(path, atKey);
  };
}

function problemOf({ file, path, message, severity, atKey = false, first }: Finding, locate: Locate): Problem {
  const position = locate({ file, path }, atKey);
  const earlier = first && locate(first, false);
  const also = first && earlier ? ` (first at ${first.file}:${earlier.line}:${earlier.column})` : '';
  return { file, ...position, path: dotted(path), message: message + also, severity };
}

/** `service.www.listen[0]`. */
export function dotted(path: Path): string {
  return path
    .map((part, i) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = /^[\w-]+$/.test(part) ? part : JSON.stringify(part);
      return i === 0 ? name : `.${name}`;
    })
    .join('');
}
