import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Whether a path of `include` is a pattern: it has `*`, `?` or `[…]` in it. */
export function isPattern(path: string): boolean {
  return /[*?[]/.test(path);
}

/**
 * The files that match a pattern, sorted; none when there are none or the directory is missing. As in a shell, wildcards
 * do not match a leading dot; they may stand in directories too.
 * @throws {Error} of the file system other than a missing directory
 */
export async function glob(pattern: string): Promise<readonly string[]> {
  const parent = dirname(pattern);
  const directories = isPattern(parent) ? await glob(parent) : [parent];
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const matcher = toRegExp(name);
  const found = await Promise.all(
    directories.map(async (directory) => {
      const names = await list(directory);
      return names
        .filter((one) => matcher.test(one))
        .map((one) => (pattern.includes('/') ? join(directory, one) : one));
    }),
  );
  return found.flat().sort();
}

async function list(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

function toRegExp(name: string): RegExp {
  const source = name.replace(/\[!?[^\]]+\]|[.*+?^${}()|\\[\]]/g, (part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    return part.length > 1 ? part.replace('[!', '[^').replaceAll('\\', '\\\\') : `\\${part}`;
  });
  return new RegExp(`^${/^[*?[]/.test(name) ? '(?!\\.)' : ''}${source}$`, 'su');
}
