import { hash, webcrypto } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { type Finding, type Place, errorAt } from './finding.ts';
import { glob, isPattern } from './glob.ts';
import type { Document } from './merge-documents.ts';
import type { Parsed } from './parse-endpoint.ts';

/** A file as read: its text, to be parsed and to look positions up in, and what its bytes hash to. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly hash: string;
}

/** Reads a file. */
export async function readSource(file: string): Promise<Parsed<Source>> {
  try {
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

const words: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files in this process',
  ENFILE: 'too many open files in the system',
};

function errnoInWords(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return words[code] ?? message;
}
