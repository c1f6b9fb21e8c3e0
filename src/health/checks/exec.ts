import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';
import type { CheckType, ProbeContext } from '../../model/check-type.ts';
import type { Target } from '../../model/check.ts';
import { attempt } from '../attempt.ts';
import { reasonOf } from '../reason.ts';
import { findUser, type User } from '../user.ts';

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const outputLimit = 4096;
const lineLimit = 200;
/** How long output may trail the exit of a program, in milliseconds. */
const trailMs = 50;

const options = z.strictObject({
  command: z
    .tuple([z.string().regex(/^(\/.*|[^/]+)$/s, 'must be an absolute path, or a name without "/"')], z.string())
    .describe(
      'Program and its arguments; no shell. A name without "/" is looked up in ' +
        `${path}. It passes with exit code 0; the first line it prints is shown as the reason. ` +
        'Its environment is PATH, LANG=C, IPVSD_ADDRESS, IPVSD_PORT and IPVSD_TIMEOUT_MS; its directory is "/". ' +
        'It runs in a process group of its own, of which nothing is left running when the check is over.',
    ),
  user: z
    .string()
    .min(1)
    .optional()
    .describe(
      'User (of /etc/passwd) to run it as; when absent "nobody" if the daemon is root, else the daemon\'s own.',
    ),
});

/** The options of an `exec` check. */
export type ExecOptions = z.output<typeof options>;

/** `exec`: passes when a program exits with code 0. */
export const exec: CheckType<ExecOptions> = {
  name: 'exec',
  options,
  async probe(target, options, context) {
    const { spawn } = await import('node:child_process');
    const user = await userFor(options.user);
    const [program, ...args] = options.command;
    return attempt(context, ({ pass, fail, waitFor }) => {
      waitFor('exit');
      const child = spawn(program, args, {
        ...user,
        cwd: '/',
        env: environment(target, context),
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const firstLine = collect(child);
      let trail: NodeJS.Timeout | undefined;
      const finish = (): void => {
        if (child.exitCode === 0) pass(firstLine() || 'exit code 0');
        else fail([outcome(child), firstLine()].filter(Boolean).join(': '));
      };
      child.on('error', (error) => {
        fail(`cannot run ${program}: ${spawnReason(error, options.user)}`);
      });
      child.on('exit', () => {
        killGroup(child);
        // `close` follows when all output is read, unless something that left the group holds it open.
        trail = setTimeout(finish, trailMs);
      });
      child.on('close', finish);
      return () => {
        clearTimeout(trail);
        if (trail === undefined) killGroup(child);
        child.stdout.destroy();
        child.stderr.destroy();
      };
    });
  },
};

/** Whom to become; undefined is nobody else. */
async function userFor(name: string | undefined): Promise<User | undefined> {
  const isRoot = process.getuid?.() === 0;
  if (name === undefined) return isRoot ? findUser('nobody') : undefined;
  const user = await findUser(name);
  return user.uid === process.getuid?.() ? undefined : user;
}

function environment({ address, port }: Target, { timeoutMs }: ProbeContext): NodeJS.ProcessEnv {
  return {
    PATH: path,
    LANG: 'C',
    IPVSD_ADDRESS: address,
    IPVSD_PORT: String(port),
    IPVSD_TIMEOUT_MS: String(timeoutMs),
  };
}

/** Reads all output, keeps its beginning, and answers with the first line that is not empty. */
function collect(child: ChildProcess): () => string {
  let output = '';
  const keep = (chunk: Buffer): void => {
    if (output.length < outputLimit) output += chunk.toString('utf8', 0, outputLimit);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => {
    const line = output.split('\n').find((text) => text.trim() !== '') ?? '';
    // A program's output must not drive the terminal that shows it.
    return line
      .replace(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, lineLimit);
  };
}

function outcome(child: ChildProcess): string {
  return child.signalCode === null ? `exit code ${String(child.exitCode)}` : `ended by ${child.signalCode}`;
}

function spawnReason(error: NodeJS.ErrnoException, user = 'nobody'): string {
  switch (error.code) {
    case 'ENOENT':
      return 'not found (the program, or the interpreter of its first line)';
    case 'EACCES':
      return `user ${user} may not execute it`;
    case 'EPERM':
      return `the daemon may not become user ${user} (that takes root, or CAP_SETUID and CAP_SETGID)`;
    default:
      return reasonOf(error);
  }
}

/** Ends the program and all it started. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // ESRCH: nothing of the group is left.
  }
}
