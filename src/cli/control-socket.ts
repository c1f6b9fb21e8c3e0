import { readFile } from 'node:fs/promises';
import type { Arguments, Options } from './command.ts';

const defaultPath = '/run/ipvsd/control.sock';
const defaultConfig = '/etc/ipvsd/ipvsd.toml';

/** `--socket PATH`, for the commands that talk to the daemon. */
export const controlSocketOption = { socket: { type: 'string' } } as const satisfies Options;

/** The help of that option. */
export const controlSocketHelp =
  '  --socket PATH     where the daemon listens, when the file does not say so (control_socket)';

/**
 * Where the running daemon listens: what `--socket` says, else the file, else the default. The file is searched, not
 * parsed: one that is broken or huge must not keep anyone from asking the daemon.
 */
export async function controlSocketOf({ values, config: path }: Arguments): Promise<string> {
  if (typeof values['socket'] === 'string') return values['socket'];
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    // Another file than the usual one may mean another daemon: the default socket would be the wrong one.
    if (path === defaultConfig) return '';
    throw new Error(`cannot read ${path}: ${(error as Error).message} (or say --socket PATH)`, { cause: error });
  });
  return /^\s*control_socket\s*=\s*["']([^"'\n]+)["']/m.exec(text)?.[1] ?? defaultPath;
}
