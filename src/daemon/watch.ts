import type { FSWatcher } from 'chokidar';

/** Something that watches files until it is closed. */
export interface Watcher {
  /** Watches these files and directories from now on, and no others. */
  follow(paths: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Calls back once after each burst of changes. Editors that write by rename, and configuration managers that swap
 * symbolic links, count as changes. Nothing is loaded before there is something to watch.
 */
export function watchFiles(onChange: () => void, quietMs = 200): Watcher {
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  let followed = new Set<string>();
  const open = async (): Promise<FSWatcher> => {
    const { watch } = await import('chokidar');
    return watch([], { ignoreInitial: true, depth: 0 }).on('all', () => {
      clearTimeout(timer);
      timer = setTimeout(onChange, quietMs);
    });
  };
  return {
    follow: async (paths) => {
      const next = new Set(paths);
      if (next.size === 0 && watcher === undefined) return;
      watcher ??= await open();
      watcher.unwatch([...followed].filter((path) => !next.has(path)));
      watcher.add([...next].filter((path) => !followed.has(path)));
      followed = next;
    },
    close: async () => {
      clearTimeout(timer);
      await watcher?.close();
    },
  };
}
