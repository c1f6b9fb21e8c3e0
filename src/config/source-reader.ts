import { isUtf8 } from 'node:buffer';
import { hash, webcrypto } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { errnoInWords } from './errno-in-words.ts';
import type { Parsed } from './parse-endpoint.ts';

/** A file as read: its text, to be parsed and to look positions up in, and what its bytes hash to. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly hash: string;
}

/** A file that changed less than this before it was read may change again without its times telling, in milliseconds. */
const settledMs = 2000;

/** Reads files. One whose inode, size and times are as they were is not read again: with ten thousand files that counts. */
export class SourceReader {
  readonly #known = new Map<string, { readonly signature: string; readonly source: Source }>();

  /** Reads a file, unless it is known to be unchanged. */
  async read(file: string): Promise<Parsed<Source>> {
    // Taken before the bytes are: a change in between makes the next reading read again.
    const signature = signatureOf(file, Date.now());
    const known = this.#known.get(file);
    if (known !== undefined && known.signature === signature) return { value: known.source };
    const result = await readSource(file);
    this.#known.delete(file);
    if ('value' in result && signature !== undefined) this.#known.set(file, { signature, source: result.value });
    return result;
  }

  /** Forgets all other files. */
  keepOnly(files: ReadonlySet<string>): void {
    for (const file of this.#known.keys()) if (!files.has(file)) this.#known.delete(file);
  }
}

/** What tells a file's contents apart without reading it; undefined when that cannot be relied on. */
function signatureOf(file: string, nowMs: number): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = statSync(file, { bigint: true });
    return nowMs - Number(ctimeMs) < settledMs ? undefined : [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return undefined;
  }
}

async function readSource(file: string): Promise<Parsed<Source>> {
  try {
    const found = await stat(file);
    // Reading a FIFO would wait for a writer, and reading a device might never end.
    if (!found.isFile() && !found.isDirectory()) return { problem: 'cannot be read: it is not a regular file' };
    const bytes = await readFile(file);
    if (!isUtf8(bytes)) return { problem: 'is not UTF-8 text' };
    return { value: { file, text: bytes.toString(), hash: await hashOf(bytes) } };
  } catch (error) {
    return { problem: `cannot be read: ${errnoInWords(error)}` };
  }
}

/** Large files are hashed off the main thread. */
async function hashOf(bytes: Buffer): Promise<string> {
  if (bytes.length < 262_144) return hash('sha1', bytes, 'base64');
  return Buffer.from(await webcrypto.subtle.digest('SHA-1', bytes)).toString('base64');
}
