import type { z } from 'zod';
import type { Problem } from '../model/problem.ts';
import type { DocumentParser } from './document-parser.ts';
import { type Finding, type Place, errorAt } from './finding.ts';
import type { Document } from './merge-documents.ts';
import { resolveIncludes } from './resolve-includes.ts';
import type { Source, SourceReader } from './source-reader.ts';
import { validate } from './validate.ts';

/** Everything that was read. */
export interface Reading {
  readonly documents: readonly Document[];
  readonly sources: ReadonlyMap<string, Source>;
  /** Directories in which an included file could appear. */
  readonly directories: ReadonlySet<string>;
  readonly findings: readonly Finding[];
  /** Syntax problems, whose positions are known. */
  readonly problems: readonly Problem[];
}

/** A file to be read: what includes it, and the files that led there. */
interface Wanted {
  readonly file: string;
  readonly from: Place;
  readonly trail: readonly string[];
}

/** Files read at a time. */
const concurrency = 64;

/** Reads a file and everything it includes, level by level, each file once. */
export async function readConfiguration(
  path: string,
  reader: SourceReader,
  parser: DocumentParser,
  includeSchema: z.ZodType,
  pause: () => Promise<void> | undefined,
): Promise<Reading> {
  const documents: Document[] = [];
  const sources = new Map<string, Source>();
  const directories = new Set<string>();
  const findings: Finding[] = [];
  const problems: Problem[] = [];

  let level: readonly Wanted[] = [{ file: path, from: { file: path, path: [] }, trail: [] }];
  while (level.length > 0) {
    const read = await readLevel(level, reader, sources, findings, pause);
    const parsed = await parser.parse(
      read.map(({ source }) => source),
      pause,
    );
    const next: Wanted[] = [];
    for (const [i, { wanted }] of read.entries()) {
      const result = parsed[i] ?? { value: {} };
      if ('value' in result) {
        const document = { file: wanted.file, value: result.value };
        documents.push(document);
        next.push(...(await includesOf(document, wanted, includeSchema, directories, findings)));
      } else problems.push({ file: wanted.file, path: '', severity: 'error', ...result });
      await pause();
    }
    level = next;
  }
  const files = new Set(sources.keys());
  reader.keepOnly(files);
  parser.keepOnly(files);
  return { documents, sources, directories, findings, problems };
}

interface ReadFile {
  readonly wanted: Wanted;
  readonly source: Source;
}

/** Reads those files of a level that have not been read yet. */
async function readLevel(
  level: readonly Wanted[],
  reader: SourceReader,
  sources: Map<string, Source>,
  findings: Finding[],
  pause: () => Promise<void> | undefined,
): Promise<ReadFile[]> {
  const fresh = new Map<string, Wanted>();
  for (const wanted of level) {
    const { file, from, trail } = wanted;
    if (trail.includes(file)) findings.push(errorAt(from, `a file includes itself: ${[...trail, file].join(' → ')}`));
    else if (!sources.has(file) && !fresh.has(file)) fresh.set(file, wanted);
  }
  const all = [...fresh.values()];
  const read: ReadFile[] = [];
  for (let i = 0; i < all.length; i += concurrency) {
    const some = all.slice(i, i + concurrency);
    const results = await Promise.all(some.map(({ file }) => reader.read(file)));
    await pause();
    for (const [j, wanted] of some.entries()) {
      const result = results[j];
      if (!result) continue;
      if ('problem' in result) findings.push(unreadable(wanted, result.problem));
      else {
        sources.set(wanted.file, result.value);
        read.push({ wanted, source: result.value });
      }
    }
  }
  return read;
}

function unreadable({ file, from }: Wanted, problem: string): Finding {
  return errorAt(from, from.file === file ? problem : `${file} ${problem}`);
}

async function includesOf(
  document: Document,
  { file, trail }: Wanted,
  schema: z.ZodType,
  directories: Set<string>,
  findings: Finding[],
): Promise<Wanted[]> {
  if (!('include' in document.value)) return [];
  const place = { file, path: ['include'] };
  findings.push(...(validate(schema, document.value['include'], place).findings ?? []));
  const includes = await resolveIncludes(document, findings);
  for (const directory of includes.directories) directories.add(directory);
  return includes.files.map((included) => ({ file: included.file, from: included.place, trail: [...trail, file] }));
}
