import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Daemon, startDaemon } from '../../lab/daemon.ts';
import { readTableText } from '../../lab/ipvsadm.ts';
import type { RealServer } from '../../lab/real-server.ts';
import { type Topology, type TopologyOptions, makeTopology } from '../../lab/topology.ts';
import { ask } from '../../src/control/control-client.ts';
import type { ReloadOutcome } from '../../src/daemon/reload-outcome.ts';

/** How a reload ended, and the operations that the daemon logged for it. */
export type Reload = ReloadOutcome & { readonly operations: readonly string[] };

/** A check that finds out fast. */
export const fastCheck =
  'check = { type = "http", path = "/healthz", interval = "200ms", timeout = "10s", rise = 1, fall = 2 }';

/** Machines with the daemon on the director: its file, its control socket, its log, and the kernel's table by ipvsadm. */
export class Balancer {
  readonly topology: Topology;
  readonly folder: string;
  /** The daemon that runs, or ran last. */
  daemon!: Daemon;

  constructor(topology: Topology, folder: string) {
    this.topology = topology;
    this.folder = folder;
  }

  get file(): string {
    return join(this.folder, 'ipvsd.toml');
  }

  get controlSocket(): string {
    return join(this.folder, 'control.sock');
  }

  /** The real servers, from 1. @throws {RangeError} when there is no such server */
  server(number: number): RealServer {
    const server = this.topology.servers[number - 1];
    if (server === undefined) throw new RangeError(`there is no server ${number}`);
    return server;
  }

  /** Writes the file. @param keys further keys of `[daemon]`, one a line */
  async configure(text: string, keys = ''): Promise<void> {
    const daemon = `control_socket = "${this.controlSocket}"\nstate_dir = "${join(this.folder, 'state')}"\n${keys}`;
    await writeFile(this.file, `${text}\n[daemon]\n${daemon}\n`);
  }

  /** Starts the daemon and waits until its first round is over. @param environment further variables of its environment */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<Daemon> {
    this.daemon = startDaemon(this.topology.director, this.file, environment);
    await this.daemon.logged(/"msg":"ready"/, 120_000);
    return this.daemon;
  }

  /** Asks for a reload on the control socket and waits for its outcome. */
  async reload(): Promise<Reload> {
    const from = this.daemon.log.length;
    const outcome = (await ask(this.controlSocket, 'POST', '/v1/reload')) as ReloadOutcome;
    return { ...outcome, operations: await this.#reloaded(from) };
  }

  /** Sends SIGHUP and waits for the reload's end. @returns the operations that were logged */
  async hangUp(): Promise<readonly string[]> {
    const from = this.daemon.log.length;
    this.daemon.signal('SIGHUP');
    return this.#reloaded(from);
  }

  async #reloaded(from: number): Promise<readonly string[]> {
    await this.daemon.logged(/"msg":"reload (applied|rejected|partly)/, 120_000, from);
    return this.operations(from);
  }

  /** Operations that the daemon logged, from the given position of its log on. */
  operations(from = 0): readonly string[] {
    return this.daemon.log.slice(from).flatMap((line) => ('kind' in line ? [String(line.msg)] : []));
  }

  /** The kernel's table, told by ipvsadm, as sorted lines: see `readTableText()`. */
  async table(): Promise<readonly string[]> {
    return (await readTableText(this.topology.director)).sort();
  }

  /** Waits until the kernel's table is as expected; gives what it was last, so that an assertion can show the difference. */
  async tableSoon(expected: readonly string[], timeoutMs = 30_000): Promise<readonly string[]> {
    const end = performance.now() + timeoutMs;
    let table = await this.table();
    while (!isDeepStrictEqual(table, expected) && performance.now() < end) table = await this.table();
    return table;
  }
}

/** Makes machines for one story, with a folder for the daemon; all of it goes when the test ends. */
export async function makeBalancer(t: Pick<Test, 'teardown'>, options: TopologyOptions = {}): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'ipvsd-story-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return new Balancer(await makeTopology(t, options), folder);
}

/** The first line that comes back for a line sent on an echo connection; rejects when the connection ends. */
export async function echo(socket: NodeJS.ReadWriteStream, line: string): Promise<string> {
  const answer = new Promise<string>((resolve, reject) => {
    socket.once('data', (chunk: string | Buffer) => {
      resolve(chunk.toString().trim());
    });
    socket.once('error', reject);
  });
  socket.write(`${line}\n`);
  return answer;
}
