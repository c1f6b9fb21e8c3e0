import { dirname, isAbsolute, join } from 'node:path';
import { type Finding, type Place, errorAt } from './finding.ts';
import { glob, isPattern } from './glob.ts';
import type { Document } from './merge-documents.ts';
import { errnoInWords } from './errno-in-words.ts';

/** What a document includes, in order, and the directories in which a file could appear. */
export interface Includes {
  readonly files: readonly { readonly file: string; readonly place: Place }[];
  readonly directories: readonly string[];
}

/** Resolves the includes of a document, relative to its file. */
export async function resolveIncludes({ file, value }: Document, findings: Finding[]): Promise<Includes> {
  const patterns = Array.isArray(value['include']) ? (value['include'] as unknown[]) : [];
  const files: { file: string; place: Place }[] = [];
  const directories: string[] = [];
  for (const [i, pattern] of patterns.entries()) {
    if (typeof pattern !== 'string') continue;
    const place = { file, path: ['include', i] };
    const path = isAbsolute(pattern) ? pattern : join(dirname(file), pattern);
    if (!isPattern(path)) {
      files.push({ file: path, place });
      continue;
    }
    directories.push(dirname(path));
    try {
      files.push(...(await glob(path)).map((one) => ({ file: one, place })));
    } catch (error) {
      findings.push(errorAt(place, `cannot be listed: ${errnoInWords(error)}`));
    }
  }
  return { files, directories };
}
