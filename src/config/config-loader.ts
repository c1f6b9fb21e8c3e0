import { createHash } from 'node:crypto';
import { normalize } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { CheckType } from '../model/check-type.ts';
import type { Config } from '../model/config.ts';
import type { Problem } from '../model/problem.ts';
import { ConfigBuilder } from './build-config.ts';
import { ConfigError } from './config-error.ts';
import { DocumentParser } from './document-parser.ts';
import { tableSchemas } from './file-schema.ts';
import { mergeDocuments } from './merge-documents.ts';
import { problemsOf } from './problems.ts';
import { readConfiguration } from './read-configuration.ts';
import { type Source, SourceReader } from './source-reader.ts';

/** A valid configuration, and what it was read from. */
export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly Problem[];
  /** The files read, in order, and the directories in which an included file could appear; what to watch. */
  readonly files: readonly string[];
  /** Hash of the names and bytes of all files. */
  readonly hash: string;
}

/** Loads a configuration, again and again, and remembers what has not changed. */
export class ConfigLoader {
  readonly #path: string;
  readonly #schemas: ReturnType<typeof tableSchemas>;
  readonly #builder: ConfigBuilder;
  readonly #reader = new SourceReader();
  readonly #parser = new DocumentParser();

  /** @param path - the main file */
  constructor(path: string, checkTypes: ReadonlyMap<string, CheckType>) {
    this.#path = normalize(path);
    this.#schemas = tableSchemas(checkTypes);
    this.#builder = new ConfigBuilder(checkTypes, this.#schemas);
  }

  /**
   * Loads; one call at a time.
   * @throws {ConfigError} with every error there is; nothing of the configuration is to be used then
   */
  async load(): Promise<LoadedConfig> {
    const pause = pauser();
    const reading = await readConfiguration(this.#path, this.#reader, this.#parser, this.#schemas.include, pause);
    await setImmediate();
    const merged = await mergeDocuments(reading.documents, pause);
    const { config, findings } = await this.#builder.build(merged, pause);
    const texts = new Map([...reading.sources].map(([file, source]) => [file, source.text]));
    const problems = [...reading.problems, ...(await problemsOf([...reading.findings, ...findings], texts, pause))];
    const errors = problems.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new ConfigError(errors);
    return {
      config,
      warnings: problems,
      files: [...texts.keys(), ...reading.directories],
      hash: hashOf(reading.sources),
    };
  }

  /** Ends what the loader has running. */
  async close(): Promise<void> {
    await this.#parser.close();
  }
}

function hashOf(sources: ReadonlyMap<string, Source>): string {
  const hash = createHash('sha256');
  for (const { file, hash: bytes } of sources.values()) hash.update(`${file}\0${bytes}\n`);
  return hash.digest('hex');
}

/**
 * A function that lets the event loop turn whenever about 8 ms have gone since it last did. Reading the clock may cost as
 * much as what is done between two calls, so that is done at the first, second, fourth, eighth and then every 16th call.
 */
function pauser(): () => Promise<void> | undefined {
  let [since, calls, next] = [performance.now(), 0, 1];
  return () => {
    if (++calls < next) return undefined;
    next += Math.min(calls, 16);
    if (performance.now() - since < 8) return undefined;
    return setImmediate().then(() => {
      [since, calls, next] = [performance.now(), 0, 1];
    });
  };
}
