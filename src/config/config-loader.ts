import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { CheckType } from '../model/check-type.ts';
import type { Config } from '../model/config.ts';
import type { Problem } from '../model/problem.ts';
import { ConfigBuilder } from './build-config.ts';
import { ConfigError } from './config-error.ts';
import { tableSchemas } from './file-schema.ts';
import { type Finding, type Place, errorAt } from './finding.ts';
import { type Document, mergeDocuments } from './merge-documents.ts';
import { parseToml } from './parse-toml.ts';
import { problemsOf } from './problems.ts';
import { type Source, readSource, resolveIncludes } from './read-sources.ts';
import { validate } from './validate.ts';

/** A valid configuration, and what it was read from. */
export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly Problem[];
  /** The files read, in order, and the directories in which an included file could appear; what to watch. */
  readonly files: readonly string[];
  /** Hash of the names and bytes of all files. */
  readonly hash: string;
}

/** Everything that was read. */
interface Reading {
  readonly documents: Document[];
  readonly sources: Map<string, Source>;
  readonly directories: Set<string>;
  readonly findings: Finding[];
  /** Syntax problems, whose positions are known. */
  readonly problems: Problem[];
}

/** Loads a configuration, again and again, and remembers what has not changed. */
export class ConfigLoader {
  readonly #path: string;
  readonly #schemas: ReturnType<typeof tableSchemas>;
  readonly #builder: ConfigBuilder;

  /** @param path - the main file */
  constructor(path: string, checkTypes: ReadonlyMap<string, CheckType>) {
    this.#path = path;
    this.#schemas = tableSchemas(checkTypes);
    this.#builder = new ConfigBuilder(checkTypes, this.#schemas);
  }

  /** @throws {ConfigError} with every problem there is; nothing of the configuration is used then */
  async load(): Promise<LoadedConfig> {
    const reading = await this.#read();
    const { config, findings } = await this.#builder.build(mergeDocuments(reading.documents), pauser());
    const texts = new Map([...reading.sources].map(([file, source]) => [file, source.text]));
    const problems = [...reading.problems, ...(await problemsOf([...reading.findings, ...findings], texts))];
    if (problems.some((problem) => problem.severity === 'error')) throw new ConfigError(problems);
    return {
      config,
      warnings: problems,
      files: [...texts.keys(), ...reading.directories],
      hash: hashOf(reading.sources),
    };
  }

  /** Ends what the loader has running. */
  async close(): Promise<void> {
    await Promise.resolve();
  }

  async #read(): Promise<Reading> {
    const reading: Reading = { documents: [], sources: new Map(), directories: new Set(), findings: [], problems: [] };
    const main = { file: this.#path, path: [] };
    await this.#readFile(this.#path, main, [], reading);
    return reading;
  }

  async #readFile(file: string, from: Place, trail: readonly string[], reading: Reading): Promise<void> {
    if (trail.includes(file)) {
      reading.findings.push(errorAt(from, `includes itself: ${[...trail, file].join(' → ')}`));
      return;
    }
    if (reading.sources.has(file)) return;
    const source = await readSource(file);
    if ('problem' in source) {
      reading.findings.push(errorAt(from, file === from.file ? source.problem : `${file} ${source.problem}`));
      return;
    }
    reading.sources.set(file, source.value);
    const parsed = parseToml(source.value.text);
    if (!('value' in parsed)) {
      reading.problems.push({ file, path: '', severity: 'error', ...parsed });
      return;
    }
    const document = { file, value: parsed.value };
    reading.documents.push(document);
    await this.#readIncludes(document, [...trail, file], reading);
  }

  async #readIncludes(document: Document, trail: readonly string[], reading: Reading): Promise<void> {
    if (!('include' in document.value)) return;
    const place = { file: document.file, path: ['include'] };
    reading.findings.push(...(validate(this.#schemas.include, document.value['include'], place).findings ?? []));
    const { files, directories } = await resolveIncludes(document, reading.findings);
    for (const directory of directories) reading.directories.add(directory);
    for (const { file, place: at } of files) await this.#readFile(file, at, trail, reading);
  }
}

function hashOf(sources: ReadonlyMap<string, Source>): string {
  const hash = createHash('sha256');
  for (const { file, hash: bytes } of sources.values()) hash.update(`${file}\0${bytes}\n`);
  return hash.digest('hex');
}

/** A function that lets the event loop turn whenever 10 ms have gone since it last did. */
function pauser(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < 10) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
