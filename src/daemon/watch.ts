import { dirname, join } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { type WatchedPlaces, watchedPlaces } from './watched-places.ts';

/** Something that watches files until it is closed. */
export interface Watcher {
  /** Watches these files and directories from now on, and no others. */
  follow(paths: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Calls back once after each burst of changes, and when it begins to watch somewhere. Editors that write by rename, and configuration managers that swap
 * symbolic links, count as changes: files are watched through their directories. Nothing is loaded before there is something to watch.
 */
export function watchFiles(onChange: () => void, quietMs = 200): Watcher {
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  let places: WatchedPlaces = { entries: new Set(), directories: new Set() };
  let watched: ReadonlySet<string> = new Set();
  const matters = (path: string): boolean => places.entries.has(path) || places.directories.has(dirname(path));
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, quietMs);
  };
  const open = async (): Promise<FSWatcher> => {
    const { watch } = await import('chokidar');
    // The raw events: chokidar's own miss a symbolic link that a file replaces at once.
    return watch([], { ignoreInitial: true, depth: 0, followSymlinks: false }).on('raw', (_, name, details) => {
      const { watchedPath } = details as { watchedPath: string };
      if ([watchedPath, join(watchedPath, name)].some(matters)) changed();
    });
  };
  return {
    follow: async (paths) => {
      if (paths.length === 0 && watcher === undefined) return;
      watcher ??= await open();
      places = await watchedPlaces(paths);
      const wanted = new Set([...places.directories, ...Array.from(places.entries, (path) => dirname(path))]);
      watcher.unwatch([...watched].filter((path) => !wanted.has(path)));
      const added = [...wanted].filter((path) => !watched.has(path));
      watched = wanted;
      if (added.length === 0) return;
      watcher.add(added);
      // What changed between the reading of the files and now has not been seen.
      changed();
    },
    close: async () => {
      clearTimeout(timer);
      await watcher?.close();
    },
  };
}
