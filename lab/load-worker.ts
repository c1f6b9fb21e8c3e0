/** The thread of a load client (load.ts). */
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { LoadFailure, LoadOptions, LoadReport } from './load.ts';
import { enterNamespace } from './network-namespace.ts';

type Unset = 'perSecond' | 'count';
type Work = Required<Omit<LoadOptions, Unset>> & Pick<LoadOptions, Unset> & { readonly namespace: string };

const { namespace, host, port, path, concurrency, perSecond, count, timeoutMs } = workerData as Work;
const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
const start = performance.now();
const servers: Record<string, number> = {};
const failures: LoadFailure[] = [];
let started = 0;
let ended = 0;
let slowestMs = 0;
let pause: NodeJS.Timeout | undefined;
const order = { stop: false };

enterNamespace(namespace);
parentPort?.on('message', (message) => {
  if (message === 'stop') order.stop = true;
  parentPort?.postMessage({ last: false, report: report() });
  if (order.stop) finish();
});
fill();

/** Starts as many requests as are due. */
function fill(): void {
  while (!order.stop && started - ended < concurrency && started < (count ?? Infinity)) {
    const dueMs = perSecond === undefined ? 0 : (started * 1000) / perSecond - (performance.now() - start);
    if (dueMs > 0) {
      clearTimeout(pause);
      pause = setTimeout(fill, dueMs);
      return;
    }
    send();
  }
  finish();
}

function finish(): void {
  if (ended < started || !(order.stop || ended === count)) return;
  parentPort?.postMessage({ last: true, report: report() });
  parentPort?.close();
}

function send(): void {
  const atMs = performance.now() - start;
  let answer = '';
  let reason = '';
  started++;
  const socket = connect({ host, port });
  const timer = setTimeout(() => {
    reason = 'timeout';
    socket.destroy();
  }, timeoutMs);
  socket.setEncoding('latin1').write(request);
  socket.on('data', (text: string) => {
    answer += text;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    reason = error.code ?? error.message;
  });
  socket.on('close', () => {
    clearTimeout(timer);
    record(atMs, reason === '' ? judge(answer) : { reason });
    fill();
  });
}

/** Who gave this answer, or what is wrong with it. */
function judge(answer: string): { server: string } | { reason: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? NaN);
  if (body.length !== length) return { reason: 'closed early' };
  const status = head.split(' ')[1] ?? '';
  if (status !== '200') return { reason: `status ${status}` };
  return { server: /x-server: (\S+)/.exec(head)?.[1] ?? '' };
}

function record(atMs: number, outcome: { server: string } | { reason: string }): void {
  const afterMs = performance.now() - start - atMs;
  ended++;
  if ('reason' in outcome) {
    failures.push({ atMs: Math.round(atMs), afterMs: Math.round(afterMs), reason: outcome.reason });
  } else {
    servers[outcome.server] = (servers[outcome.server] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, Math.round(afterMs));
  }
}

function report(): LoadReport {
  return { requests: ended, servers, failures, durationMs: Math.round(performance.now() - start), slowestMs };
}
