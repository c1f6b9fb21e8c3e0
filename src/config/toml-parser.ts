import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ParsedToml, parseToml } from './parse-toml.ts';
import type { Batch, Piece } from './parse-worker.ts';
import { isTable } from './table.ts';

/** Characters up to which texts are parsed at once, about 30 ms; beyond, a thread does it. */
const inlineLimit = 65_536;

/** Characters sent to the thread at a time, about. */
const portionSize = 524_288;

/** How long the thread may be idle before it is ended, in milliseconds. */
const idleMs = 10_000;

/** Parses TOML texts; larger amounts in a thread, received in batches so that the event loop is never held up. */
export class TomlParser {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @throws {Error} when the thread fails */
  async parse(texts: readonly string[]): Promise<readonly ParsedToml[]> {
    const size = texts.reduce((sum, text) => sum + text.length, 0);
    return size <= inlineLimit ? texts.map(parseToml) : await this.#parseInThread(texts);
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #parseInThread(texts: readonly string[]): Promise<readonly ParsedToml[]> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= startWorker());
    worker.ref();
    try {
      const results: ParsedToml[] = [];
      for (const some of inPortions(texts)) results.push(...(await receive(worker, some)));
      return results;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      worker.unref();
      this.#idle = setTimeout(() => void this.close(), idleMs).unref();
    }
  }
}

/** Portions of texts that can be sent in a few milliseconds. */
function* inPortions(texts: readonly string[]): Generator<readonly string[]> {
  let portion: string[] = [];
  let size = 0;
  for (const text of texts) {
    portion.push(text);
    size += text.length;
    if (size < portionSize) continue;
    yield portion;
    [portion, size] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}

function startWorker(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./parse-worker.${extension}`, import.meta.url));
}

async function receive(worker: Worker, texts: readonly string[]): Promise<readonly ParsedToml[]> {
  const results: ParsedToml[] = texts.map(() => ({ value: Object.create(null) as Record<string, unknown> }));
  let request: readonly string[] | undefined = texts;
  for (;;) {
    const answer = once(worker, 'message');
    worker.postMessage(request);
    request = undefined;
    const [batch] = (await answer) as [Batch];
    for (const piece of batch.pieces) place(results, piece);
    if (batch.done) return results;
  }
}

function place(results: ParsedToml[], piece: Piece): void {
  if ('failed' in piece) {
    results[piece.text] = piece.failed;
    return;
  }
  const result = results[piece.text];
  const [first = '', second] = piece.path;
  if (!result || !('value' in result)) return;
  const root = result.value as Record<string, Record<string, unknown>>;
  if (second === undefined) root[first] = withoutPrototype(piece.value) as Record<string, unknown>;
  else (root[first] ??= {})[second] = piece.value;
}

/** Tables that take names get no prototype, so that no name is special. */
function withoutPrototype(value: unknown): unknown {
  return isTable(value) ? Object.assign(Object.create(null) as object, value) : value;
}
