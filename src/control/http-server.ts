import { type Server, createServer } from 'node:http';
import type { Daemon } from '../daemon/daemon.ts';
import { statusReport } from './status-report.ts';

/**
 * Serves `/status` (what `ipvsd status --json` prints) and `/ready` (200 when the kernel is as the file wishes, else 503,
 * with the daemon's status line) over TCP. For reading only.
 * @throws {Error} when the address cannot be used
 */
export async function httpServer(
  { address, port }: { address: string; port: number },
  daemon: Daemon,
): Promise<Server> {
  const server = createServer((request, response) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (isReading && request.url === '/ready') {
      const isReady = daemon.lastRound?.troubles.length === 0;
      response.writeHead(isReady ? 200 : 503, { 'content-type': 'text/plain' }).end(`${daemon.statusLine}\n`);
    } else if (isReading && request.url === '/status') {
      statusReport(daemon).then(
        (report) => response.setHeader('content-type', 'application/json').end(JSON.stringify(report)),
        (error: unknown) => response.writeHead(500).end(`${(error as Error).message}\n`),
      );
    } else response.writeHead(isReading ? 404 : 405).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  });
  return server;
}
