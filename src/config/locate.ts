import type { AST } from 'toml-eslint-parser';
import type { Path } from './finding.ts';

/** Line and column, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Makes, of a text, a function that finds the position of a path, or of the nearest table around it. */
export type OpenLocator = (text: string) => (path: Path, atKey: boolean) => Position | undefined;

type Parse = (text: string) => AST.TOMLProgram;

/** Loads the parser that keeps positions; only needed once there is something to show. */
export async function loadLocator(): Promise<OpenLocator> {
  const { parseTOML } = await import('toml-eslint-parser');
  const parse: Parse = (text) => parseTOML(text, { tomlVersion: '1.1' });
  return (text) => locator(parse, text);
}

/** The two parsers differ in rare details; a problem without a position is better than another problem. */
function parseOrNothing(parse: Parse, text: string): AST.TOMLTopLevelTable | undefined {
  try {
    return parse(text).body[0];
  } catch {
    return undefined;
  }
}

interface Node {
  readonly key?: Position;
  readonly value: Position;
}

function locator(parse: Parse, text: string): ReturnType<OpenLocator> {
  const nodes = new Map<string, Node>();
  const root = parseOrNothing(parse, text);
  if (!root) return () => undefined;
  for (const node of root.body) {
    if (node.type === 'TOMLTable') {
      note(nodes, node.resolvedKey, node.key.keys, node);
      for (const pair of node.body) notePair(nodes, node.resolvedKey, pair);
    } else notePair(nodes, [], node);
  }
  return (path, atKey) => find(nodes, path, atKey);
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

function start(node: { readonly loc: AST.SourceLocation }): Position {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}

/** Notes where a path starts, and where each table on the way to it was first seen. */
function note(nodes: Map<string, Node>, path: Path, keys: readonly AST.TOMLNode[], value: AST.TOMLNode): void {
  let k = keys.length - path.filter((part) => typeof part === 'string').length;
  path.forEach((part, i) => {
    const key = typeof part === 'string' ? keys[k++] : undefined;
    const id = keyOf(path.slice(0, i + 1));
    if (nodes.has(id)) return;
    nodes.set(id, { ...(key && { key: start(key) }), value: start(i === path.length - 1 ? value : (key ?? value)) });
  });
}

function notePair(nodes: Map<string, Node>, parent: Path, { key, value }: AST.TOMLKeyValue): void {
  const path = [...parent, ...key.keys.map(nameOf)];
  note(nodes, path, key.keys, value);
  noteValue(nodes, path, value);
}

function noteValue(nodes: Map<string, Node>, path: Path, value: AST.TOMLContentNode): void {
  if (value.type === 'TOMLInlineTable') for (const pair of value.body) notePair(nodes, path, pair);
  if (value.type !== 'TOMLArray') return;
  value.elements.forEach((element, i) => {
    nodes.set(keyOf([...path, i]), { value: start(element) });
    noteValue(nodes, [...path, i], element);
  });
}

function nameOf(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === 'TOMLBare' ? key.name : key.value;
}

/** The position of a path, or of the nearest table around it. */
function find(nodes: Map<string, Node>, path: Path, atKey: boolean): Position | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = nodes.get(keyOf(path.slice(0, length)));
    if (node) return atKey && node.key && length === path.length ? node.key : node.value;
  }
  return undefined;
}
