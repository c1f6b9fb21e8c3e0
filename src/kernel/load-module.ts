import { execFile } from 'node:child_process';

/** Loads a kernel module; whether that worked. */
export type LoadModule = (module: string) => Promise<boolean>;

/** Names that may be handed to modprobe: no options, no paths. */
const harmless = /^[a-z0-9_][a-z0-9_-]{0,31}$/;

/** Loads a kernel module with modprobe(8), given 10 s. A module that is built in counts as loaded. */
export const loadModule: LoadModule = (module) => {
  if (!harmless.test(module)) return Promise.resolve(false);
  return new Promise((resolve) => {
    execFile('modprobe', ['-q', '--', module], { timeout: 10_000, env: { PATH: modprobePath() } }, (error) => {
      resolve(error === null);
    });
  });
};

/** Where modprobe lives is seldom in an unprivileged PATH. */
function modprobePath(): string {
  return [process.env['PATH'] ?? '', '/usr/sbin', '/sbin', '/usr/bin', '/bin'].filter((part) => part !== '').join(':');
}
