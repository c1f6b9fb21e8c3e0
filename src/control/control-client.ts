import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** No daemon answers on the control socket. */
export class NoDaemonError extends Error {}

/**
 * Asks the running daemon.
 * @throws {NoDaemonError} when none is listening on the socket
 * @throws {Error} when it answers with an error
 */
export async function ask(socketPath: string, method: 'GET' | 'POST', path: string): Promise<unknown> {
  const [status, body] = await new Promise<[number, string]>((resolve, reject) => {
    request({ socketPath, method, path }, (response) => {
      text(response).then((body) => {
        resolve([response.statusCode ?? 0, body]);
      }, reject);
    })
      .once('error', (error: NodeJS.ErrnoException) => {
        reject(unreachable(socketPath, error));
      })
      .end();
  });
  const answer: unknown = JSON.parse(body);
  if (status === 200) return answer;
  throw new Error((answer as { error: string }).error);
}

function unreachable(socketPath: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') {
    return new NoDaemonError(`no daemon is listening on ${socketPath}: is ipvsd running? (systemctl status ipvsd)`);
  }
  return new Error(`cannot ask the daemon on ${socketPath}: ${error.message}`, { cause: error });
}
