import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory, and those above it that are missing.
 * Not `recursive`: there Node tries for ever where a file system refuses with ENOENT, as /proc does.
 * @throws {Error} when it cannot be made
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o755 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isDirectory(path))) return;
    if (code !== 'ENOENT' || (await isDirectory(dirname(path)))) {
      throw new Error(`cannot make the directory ${path}: ${(error as Error).message}`, { cause: error });
    }
    await makeDirectory(dirname(path));
    await makeDirectory(path);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
