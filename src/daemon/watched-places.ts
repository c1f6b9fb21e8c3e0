import { lstat, readlink } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';

/** As many links as Linux follows in one path (MAXSYMLINKS), so that a loop of links ends. */
const mostLinks = 40;

/** Where a change can be seen of files that may be reached through symbolic links. */
export interface WatchedPlaces {
  /** Files and symbolic links: of their directories only they matter. */
  readonly entries: ReadonlySet<string>;
  /** Directories in which everything matters, as a file may appear there. */
  readonly directories: ReadonlySet<string>;
}

/** The places to watch for some files and directories. */
export async function watchedPlaces(paths: readonly string[]): Promise<WatchedPlaces> {
  const entries = new Set<string>();
  const directories = new Set<string>();
  for (const path of paths) {
    const real = await followLinks(resolve(path), entries);
    const found = await lstat(real).catch(() => undefined);
    (found?.isDirectory() === true ? directories : entries).add(real);
  }
  return { entries, directories };
}

/** A path without its symbolic links, which are collected. */
async function followLinks(path: string, links: Set<string>): Promise<string> {
  let real: string = sep;
  let followed = 0;
  for (let ahead = namesIn(path); ahead[0] !== undefined;) {
    const [name, ...rest] = ahead;
    const next = join(real, name);
    const target = followed < mostLinks ? await readlink(next).catch(() => undefined) : undefined;
    if (target === undefined) [real, ahead] = [next, rest];
    else {
      links.add(next);
      followed++;
      [real, ahead] = [sep, [...namesIn(resolve(real, target)), ...rest]];
    }
  }
  return real;
}

function namesIn(path: string): string[] {
  return path.split(sep).filter((name) => name !== '');
}
