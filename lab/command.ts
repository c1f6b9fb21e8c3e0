import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** What a finished command left. */
export interface CommandResult {
  /** Exit code; 128 + signal number is not used: a command ended by a signal has code -1. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, whatever its exit code. @throws {Error} when it cannot be started */
export async function runCommand(argv: readonly string[], stdin = ''): Promise<CommandResult> {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { stdio: 'pipe' });
  child.stdin.on('error', () => undefined); // it may end without having read its input
  child.stdin.end(stdin);
  const code = new Promise<number>((resolve, reject) => {
    child.on('error', reject).on('close', (status) => {
      resolve(status ?? -1);
    });
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  return { code: await code, stdout, stderr };
}

/** Runs a command that must succeed. @returns its stdout @throws {Error} with its stderr when its exit code is not 0 */
export async function mustRun(argv: readonly string[], stdin = ''): Promise<string> {
  const { code, stdout, stderr } = await runCommand(argv, stdin);
  if (code !== 0) throw new Error(`${argv.join(' ')}: exit code ${code}: ${stderr.trim()}`);
  return stdout;
}
