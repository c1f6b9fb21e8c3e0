import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnedService, Ownership } from '../model/ownership.ts';
import { lockFile } from '../netlink/libc.ts';
import { makeDirectory } from './make-directory.ts';

/** The state directory: what must outlive the daemon, kept by one daemon at a time. */
export class StateDirectory {
  readonly #path: string;
  readonly #lock: FileHandle;
  #written = '';

  private constructor(path: string, lock: FileHandle) {
    this.#path = path;
    this.#lock = lock;
  }

  /**
   * Makes the directory when it is missing, and locks it (flock(2), so that a killed daemon leaves no lock behind).
   * @throws {Error} when another daemon has it, or it cannot be written
   */
  static async open(path: string): Promise<StateDirectory> {
    await makeDirectory(path);
    const lock = await open(join(path, 'lock'), 'a');
    if (lockFile(lock.fd)) return new StateDirectory(path, lock);
    await lock.close();
    throw new Error(`another ipvsd is using ${path}: stop it, or give this one its own state_dir`);
  }

  /** Records the virtual services that are ours. It is on the disk when this settles. */
  async remember(owned: Ownership): Promise<void> {
    const text = JSON.stringify({ version: 1, services: Object.fromEntries(owned) });
    if (text === this.#written) return;
    const file = join(this.#path, 'owned.json');
    try {
      await replace(file, text);
    } catch (error) {
      throw new Error(
        `cannot write ${file}: ${(error as Error).message}; nothing is changed in the kernel until it can`,
        {
          cause: error,
        },
      );
    }
    this.#written = text;
  }

  async close(): Promise<void> {
    await this.#lock.close();
  }
}

/** Replaces a file at once, by one that is on the disk. */
async function replace(file: string, text: string): Promise<void> {
  const draft = await open(`${file}.new`, 'w', 0o644);
  try {
    await draft.writeFile(text);
    await draft.datasync();
  } finally {
    await draft.close();
  }
  await rename(`${file}.new`, file);
}

/**
 * The virtual services recorded as ours; none when nothing was recorded.
 * @throws {Error} when the record cannot be read or is damaged
 */
export async function readOwnership(path: string): Promise<Ownership> {
  const file = join(path, 'owned.json');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new Error(`cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
  try {
    const record = JSON.parse(text) as { services: Record<string, OwnedService> };
    return new Map(Object.entries(record.services));
  } catch (error) {
    throw new Error(
      `${file} is damaged: ${(error as Error).message}; remove it to start anew (services that left the configuration meanwhile then count as foreign)`,
      { cause: error },
    );
  }
}
