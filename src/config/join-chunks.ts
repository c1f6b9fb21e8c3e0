import type { ParsedToml } from './parse-toml.ts';
import type { Chunk } from './split-toml.ts';
import { type Table, isTable } from './table.ts';

/**
 * The table that the chunks of a text make together.
 * @returns undefined when a chunk is not valid, or defines anything but its own path: the whole text must be parsed then
 */
export function joinChunks(chunks: readonly Chunk[], parsed: readonly (ParsedToml | undefined)[]): Table | undefined {
  const root = Object.create(null) as Record<string, unknown>;
  for (const [i, { path }] of chunks.entries()) {
    const result = parsed[i];
    if (!result || !('value' in result)) return undefined;
    if (!joinChunk(root, path, result.value)) return undefined;
  }
  return root;
}

function joinChunk(root: Record<string, unknown>, path: readonly string[], value: Table): boolean {
  const [first, second] = path;
  if (first === undefined) {
    Object.assign(root, value);
    return true;
  }
  if (!hasOnly(value, first)) return false;
  if (second === undefined) {
    if (first in root) return false;
    root[first] = value[first];
    return true;
  }
  const inner = value[first];
  if (!isTable(inner) || !hasOnly(inner, second)) return false;
  return addBelow(root, first, second, inner[second]);
}

/** Tables joined so far; those that a chunk before the first header made itself are closed to the others. */
const joined = new WeakSet();

function addBelow(root: Record<string, unknown>, first: string, second: string, value: unknown): boolean {
  if (!(first in root)) {
    const table = Object.create(null) as Record<string, unknown>;
    joined.add(table);
    root[first] = table;
  }
  const table = root[first] as Record<string, unknown>;
  if (!joined.has(table) || second in table) return false;
  table[second] = value;
  return true;
}

function hasOnly(table: Table, key: string): boolean {
  const keys = Object.keys(table);
  return keys.length === 1 && keys[0] === key;
}
