import { chmod, lstat, unlink } from 'node:fs/promises';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Daemon } from '../daemon/daemon.ts';
import { makeDirectory } from '../daemon/make-directory.ts';
import { statusReport } from './status-report.ts';

/** What a request does: its answer becomes the JSON body. */
type Route = (daemon: Daemon) => Promise<unknown>;

/** Every request of the control API, version 1. */
const routes: Readonly<Record<string, Route>> = {
  'GET /v1/status': statusReport,
  'GET /v1/verdicts': (daemon) =>
    Promise.resolve(Object.fromEntries([...daemon.health].map(([key, { verdict }]) => [key, verdict]))),
  'POST /v1/reload': (daemon) => daemon.reload(),
};

/**
 * Listens on the control socket, for the owner and the group only. A socket left behind by a killed daemon is replaced.
 * @throws {Error} when another daemon listens there, or the path cannot be used
 */
export async function controlServer(path: string, daemon: Daemon): Promise<Server> {
  await makeDirectory(dirname(path));
  if (await isAnswering(path)) throw new Error(`another daemon is listening on ${path}`);
  await removeStale(path);
  const server = createServer((request, response) => void answer(daemon, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve);
  });
  await chmod(path, 0o660);
  return server;
}

async function answer(daemon: Daemon, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = routes[`${request.method ?? ''} ${request.url ?? ''}`];
  response.setHeader('content-type', 'application/json');
  if (route === undefined) {
    response
      .writeHead(404)
      .end(JSON.stringify({ error: `no such request: ${request.method ?? ''} ${request.url ?? ''}` }));
    return;
  }
  try {
    response.end(JSON.stringify(await route(daemon)));
  } catch (error) {
    response.writeHead(500).end(JSON.stringify({ error: (error as Error).message }));
  }
}

/** Removes a socket that nobody answers on any more, and never anything else. */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`control_socket ${path} exists and is not a socket: it is left alone`);
  await unlink(path);
}

async function isAnswering(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answers: boolean) => (): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.once('connect', settle(true)).once('error', settle(false));
  });
}
