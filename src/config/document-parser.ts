import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { joinChunks } from './join-chunks.ts';
import type { ParsedToml } from './parse-toml.ts';
import type { Source } from './source-reader.ts';
import { type Chunk, splitInSteps } from './split-toml.ts';
import { TomlParser } from './toml-parser.ts';

/** Characters from which a file is split, so that a change of one table does not cost parsing all of them. */
const splitFrom = 16_384;

interface HashedChunk extends Chunk {
  readonly hash: string;
}

/** A file to parse, the chunks it was split into (none: to be parsed whole), and what is known of some of them. */
interface Job {
  readonly source: Source;
  readonly chunks: readonly HashedChunk[];
  readonly known: Map<string, ParsedToml>;
}

interface Remembered {
  readonly hash: string;
  readonly parsed: ParsedToml;
  readonly chunks: ReadonlyMap<string, ParsedToml>;
}

/** Parses files, and remembers what came of each, and of each chunk of the large ones. */
export class DocumentParser {
  readonly #parser = new TomlParser();
  readonly #files = new Map<string, Remembered>();

  /** What came of each source, in order; the same objects for what has not changed. @param pause - lets other work go on */
  async parse(sources: readonly Source[], pause: () => Promise<void> | undefined): Promise<readonly ParsedToml[]> {
    const changed = sources.filter(({ file, hash }) => this.#files.get(file)?.hash !== hash);
    const jobs: Job[] = [];
    for (const source of changed) jobs.push(await this.#job(source, pause));
    await this.#parseChunks(jobs);
    await setImmediate(); // joining ten thousand chunks takes 10 ms at once
    const whole = jobs.filter((job) => !this.#join(job));
    const parsed = await this.#parser.parse(whole.map(({ source }) => source.text));
    parsed.forEach((result, i) => {
      const source = whole[i]?.source;
      if (source) this.#files.set(source.file, { hash: source.hash, parsed: result, chunks: new Map() });
    });
    return sources.map(({ file }) => this.#files.get(file)?.parsed ?? { value: {} });
  }

  /** Forgets all other files. */
  keepOnly(files: ReadonlySet<string>): void {
    for (const file of this.#files.keys()) if (!files.has(file)) this.#files.delete(file);
  }

  async close(): Promise<void> {
    await this.#parser.close();
  }

  async #job(source: Source, pause: () => Promise<void> | undefined): Promise<Job> {
    const known = new Map<string, ParsedToml>();
    const before = this.#files.get(source.file)?.chunks;
    const chunks: HashedChunk[] = [];
    const split = source.text.length < splitFrom ? undefined : await splitWithPauses(source.text, pause);
    for (const chunk of split ?? []) {
      const digest = hash('sha1', chunk.text, 'base64');
      const parsed = before?.get(digest);
      if (parsed) known.set(digest, parsed);
      chunks.push({ ...chunk, hash: digest });
      await pause();
    }
    return { source, chunks, known };
  }

  async #parseChunks(jobs: readonly Job[]): Promise<void> {
    const missing = jobs.flatMap((job) =>
      job.chunks.filter((chunk) => !job.known.has(chunk.hash)).map((chunk) => ({ job, chunk })),
    );
    const parsed = await this.#parser.parse(missing.map(({ chunk }) => chunk.text));
    parsed.forEach((result, i) => {
      const { job, chunk } = missing[i] ?? {};
      if (job && chunk) job.known.set(chunk.hash, result);
    });
  }

  /** Whether the chunks of a file make up the whole; what they make is remembered then. */
  #join({ source, chunks, known }: Job): boolean {
    if (chunks.length === 0) return false;
    const value = joinChunks(
      chunks,
      chunks.map((chunk) => known.get(chunk.hash)),
    );
    if (!value) return false;
    this.#files.set(source.file, { hash: source.hash, parsed: { value }, chunks: known });
    return true;
  }
}

async function splitWithPauses(
  text: string,
  pause: () => Promise<void> | undefined,
): Promise<readonly Chunk[] | undefined> {
  const steps = splitInSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}
