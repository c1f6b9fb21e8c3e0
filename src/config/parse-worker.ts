import { parentPort } from 'node:worker_threads';
import { type ParsedToml, parseToml } from './parse-toml.ts';
import { type Table, isTable } from './table.ts';

/** A part of what came of a text: a value at a path of at most two keys, or the reason why the text is not TOML. */
export type Piece =
  | { readonly text: number; readonly path: readonly string[]; readonly value: unknown }
  | { readonly text: number; readonly failed: ParsedToml };

/** Pieces small enough to be received in a few milliseconds. */
export interface Batch {
  readonly pieces: readonly Piece[];
  readonly done: boolean;
}

/** Values in a batch, about. */
const batchSize = 4000;

/** The pieces of texts, parsed as they are asked for. */
export function* batchesOf(texts: readonly string[]): Generator<readonly Piece[], undefined> {
  let pieces: Piece[] = [];
  let size = 0;
  for (const [text, content] of texts.entries()) {
    for (const piece of piecesOf(text, parseToml(content))) {
      pieces.push(piece);
      size += 'failed' in piece ? 1 : countValues(piece.value);
      if (size < batchSize) continue;
      yield pieces;
      [pieces, size] = [[], 0];
    }
  }
  yield pieces;
  return undefined;
}

function* piecesOf(text: number, parsed: ParsedToml): Generator<Piece> {
  if (!('value' in parsed)) {
    yield { text, failed: parsed };
    return;
  }
  for (const [key, value] of Object.entries(parsed.value)) {
    if (!isTable(value)) yield { text, path: [key], value };
    else yield* piecesBelow(text, key, value);
  }
}

function* piecesBelow(text: number, key: string, table: Table): Generator<Piece> {
  yield { text, path: [key], value: {} };
  for (const [name, value] of Object.entries(table)) yield { text, path: [key, name], value };
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value as Table)) count += countValues(inner);
  return count;
}

/** Each message is a list of texts to parse, or asks for the next batch; each answer is one batch. */
function serve(port: NonNullable<typeof parentPort>): void {
  let batches = batchesOf([]);
  port.on('message', (texts?: readonly string[]) => {
    if (texts) batches = batchesOf(texts);
    const next = batches.next();
    port.postMessage({ pieces: next.done ? [] : next.value, done: next.done ?? false } satisfies Batch);
  });
}

if (parentPort) serve(parentPort);
