import { type Server, type Socket } from 'node:net';
import type { Test } from 'tap';

/**
 * Has a server listen on a free port of a loopback address until the test is over.
 * @returns the port
 */
export async function serve(t: Pick<Test, 'teardown'>, server: Server, address = '127.0.0.1'): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  t.teardown(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}
