import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';

const program = resolve(import.meta.dirname, '../../src/cli/main.js');

/** A line of the daemon's log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** A daemon with the in-memory kernel, on this host. */
export interface RunningDaemon {
  readonly process: ChildProcess;
  readonly log: LogLine[];
  /** The first log line from `from` on whose message matches; fails after ten seconds. */
  logged(message: RegExp, from?: number): Promise<LogLine>;
  /** Its exit code; -1 after a signal. */
  readonly ended: Promise<number>;
}

/** Starts the daemon; the test ends it. */
export function runDaemon(t: Pick<Test, 'teardown'>, config: string, env: NodeJS.ProcessEnv = {}): RunningDaemon {
  const child = spawn(process.execPath, [program, 'run', '--kernel', 'memory', '-c', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  t.teardown(() => child.kill('SIGKILL'));
  const log: LogLine[] = [];
  createInterface(child.stderr).on('line', (line) => {
    log.push(line.startsWith('{') ? (JSON.parse(line) as LogLine) : { msg: line });
  });
  const logged = async (message: RegExp, from = 0): Promise<LogLine> => {
    for (let waited = 0; waited < 10_000; waited += 10) {
      const line = log.slice(from).find(({ msg }) => message.test(msg));
      if (line !== undefined) return line;
      await setTimeout(10);
    }
    throw new Error(`no log line ${message.source} in:\n${log.map(({ msg }) => msg).join('\n')}`);
  };
  const ended = new Promise<number>((resolve) => {
    child.once('close', (code) => {
      resolve(code ?? -1);
    });
  });
  return { process: child, log, logged, ended };
}

/** Runs one command of ipvsd to its end. */
export async function ipvsd(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
