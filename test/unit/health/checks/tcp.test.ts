import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { tcp } from '../../../../src/health/checks/tcp.ts';
import { runCheck } from '../../../support/run-check.ts';
import { serve } from '../../../support/serve.ts';

/** Listens with a queue of one, and never accepts. */
const deafServer = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

t.test('tcp passes when the connection is established, over IPv4 and IPv6', async (t) => {
  for (const address of ['127.0.0.1', '::1']) {
    const port = await serve(t, createServer(), address);
    t.equal(await runCheck(tcp, { address, port }), 'connected');
  }
});

t.test('tcp closes in peace: the server sees an end, not a reset', async (t) => {
  const server = createServer();
  const port = await serve(t, server);
  const accepted = once(server, 'connection');
  await runCheck(tcp, { address: '127.0.0.1', port });
  const [socket] = (await accepted) as [Socket];
  socket.resume();
  await once(socket, 'end');
  t.pass();
});

t.test('tcp fails when nothing listens', async (t) => {
  t.equal(await runCheck(tcp, { address: '127.0.0.1', port: 1 }), 'FAILED: connection refused');
});

t.test('tcp fails on errors of this host, too', async (t) => {
  // The kernel refuses TCP to multicast addresses before any packet leaves (net/ipv4/tcp_ipv4.c).
  t.equal(await runCheck(tcp, { address: '224.0.0.1', port: 80 }), 'FAILED: network unreachable');
});

t.test('tcp fails at its deadline when the other side is silent', async (t) => {
  const worker = new Worker(deafServer, { eval: true });
  t.teardown(() => worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  t.teardown(() => {
    for (const filler of fillers) filler.destroy();
  });
  await once(fillers[0] as NodeJS.EventEmitter, 'connect');
  const startedMs = performance.now();
  const outcome = await runCheck(tcp, { address: '127.0.0.1', port }, {}, { timeoutMs: 300 });
  t.equal(outcome, 'FAILED: no connection within 300 ms');
  t.ok(performance.now() - startedMs < 1500);
});

t.test('tcp is given up when its signal is aborted', async (t) => {
  const port = await serve(t, createServer());
  const signal = AbortSignal.abort();
  t.match(await runCheck(tcp, { address: '127.0.0.1', port }, {}, { signal }), /^FAILED: /);
});

t.test('tcp has no keys of its own', (t) => {
  t.notOk(tcp.options.safeParse({ path: '/' }).success);
  t.end();
});
