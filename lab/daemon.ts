import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CommandResult } from './command.ts';
import type { Namespace } from './namespace.ts';
import { until } from './until.ts';

const program = [process.execPath, join(import.meta.dirname, '../src/cli/main.js')];

/** A line of the daemon's log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

/** The daemon at work in a namespace. */
export class Daemon {
  readonly process: ChildProcess;
  /** Its log so far, oldest first; a line that is not JSON has it all in `msg`. */
  readonly log: LogLine[] = [];
  /** Its exit code, or -1 after a signal, once it has ended. */
  readonly ended: Promise<number>;

  constructor(process: ChildProcess) {
    this.process = process;
    this.ended = new Promise((resolve) => {
      process.once('close', (code) => {
        resolve(code ?? -1);
      });
    });
    for (const stream of [process.stdout, process.stderr]) {
      if (stream) createInterface(stream).on('line', (line) => this.log.push(parseLine(line)));
    }
  }

  /** Sends a signal, such as SIGHUP for reload. */
  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Sends SIGTERM, or the given signal, and waits for the end. @returns the exit code; -1 when killed by the signal */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    this.process.kill(signal);
    return this.ended;
  }

  /**
   * Waits for a log line that matches, from the given position in `log` on.
   * @throws {Error} with the whole log when it does not come in time, or the daemon ends
   */
  async logged(pattern: RegExp, timeoutMs = 20_000, from = 0): Promise<LogLine> {
    const find = (): LogLine | undefined => this.log.slice(from).find((line) => pattern.test(JSON.stringify(line)));
    const dead = (): boolean => this.process.exitCode !== null || this.process.signalCode !== null;
    const outcome = await until(`log line ${pattern.source}`, () => find() ?? dead(), timeoutMs).catch(() => false);
    const line = find();
    if (line !== undefined) return line;
    const why = outcome === true ? 'the daemon ended' : `not within ${timeoutMs} ms`;
    throw new Error(
      `no log line ${pattern.source}: ${why}; its log:\n${this.log.map((l) => JSON.stringify(l)).join('\n')}`,
    );
  }
}

/**
 * Starts `ipvsd run -c FILE` in a namespace; it is killed with the topology.
 * @param environment - further variables of its environment, such as NOTIFY_SOCKET
 */
export function startDaemon(
  namespace: Namespace,
  configFile: string,
  environment: Readonly<Record<string, string>> = {},
): Daemon {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return new Daemon(namespace.spawn('env', ...variables, ...program, 'run', '-c', configFile));
}

/** Runs `ipvsd ARGS…` in a namespace to its end. */
export function ipvsd(namespace: Namespace, ...args: string[]): Promise<CommandResult> {
  return namespace.try(...program, ...args);
}

function parseLine(line: string): LogLine {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? (parsed as LogLine) : { msg: line };
  } catch {
    return { msg: line };
  }
}
