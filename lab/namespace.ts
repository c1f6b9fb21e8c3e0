import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { mustRun, runCommand, type CommandResult } from './command.ts';
import { connectFrom } from './network-namespace.ts';

/** One machine of a topology: a network namespace, and the processes in it. */
export class Namespace {
  /** As `ip netns` knows it. */
  readonly name: string;
  readonly #processes = new Set<ChildProcess>();
  readonly #ends: (() => unknown)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Runs a command that must succeed. @returns its stdout @throws {Error} with its stderr when it fails */
  exec(...argv: string[]): Promise<string> {
    return mustRun([...this.#enter, ...argv]);
  }

  /** Runs a command that may fail. */
  try(...argv: string[]): Promise<CommandResult> {
    return runCommand([...this.#enter, ...argv]);
  }

  /** Starts a long-lived command; it is killed with the topology. Its pid is the command's own. */
  spawn(...argv: string[]): ChildProcess {
    const [file = '', ...args] = [...this.#enter, ...argv];
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#processes.add(child);
    child.once('close', () => this.#processes.delete(child));
    return child;
  }

  /** Opens a TCP connection from here, as `net.connect()` would. */
  connect(host: string, port: number): Socket {
    return connectFrom(this.name, host, port);
  }

  /** Sets kernel parameters of this namespace: `{ 'net.ipv4.vs.conntrack': 1 }`. */
  async sysctl(values: Readonly<Record<string, number | string>>): Promise<void> {
    await this.exec('sysctl', '-qw', ...Object.entries(values).map(([key, value]) => `${key}=${value}`));
  }

  /** Has a function called when this machine stops; it may return a promise. */
  atStop(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** Kills what was started here, and waits for its end. */
  async stop(): Promise<void> {
    await Promise.all(this.#ends.splice(0).map((end) => end()));
    const ends = [...this.#processes].map((child) => new Promise((resolve) => child.once('close', resolve)));
    for (const child of this.#processes) child.kill('SIGKILL');
    await Promise.all(ends);
  }

  get #enter(): readonly string[] {
    return ['nsenter', `--net=/run/netns/${this.name}`, '--'];
  }
}
