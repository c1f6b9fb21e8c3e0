import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Namespace } from './namespace.ts';

/** What a load client is to do. */
export interface LoadOptions {
  /** The address to connect to, such as a VIP. */
  readonly host: string;
  readonly port?: number;
  /** Path of the requests; default `/`. */
  readonly path?: string;
  /** Requests under way at once; default 4. */
  readonly concurrency?: number;
  /** At most so many requests are started per second; as fast as it goes when absent. */
  readonly perSecond?: number;
  /** Ends by itself after so many requests; else at `stop()`. */
  readonly count?: number;
  /** A request that has no whole answer after so long has failed; default 5000. */
  readonly timeoutMs?: number;
}

/** One request that did not get a whole answer of status 200. */
export interface LoadFailure {
  /** Milliseconds since the load began, when the request was started. */
  readonly atMs: number;
  /** How long it took to fail. */
  readonly afterMs: number;
  /** Error code such as `ECONNREFUSED`, `timeout`, `closed early`, or `status 503`. */
  readonly reason: string;
}

/** What a load client saw. */
export interface LoadReport {
  /** Requests that ended, well or not. */
  readonly requests: number;
  /** Good answers by name of the server that gave them. */
  readonly servers: Readonly<Record<string, number>>;
  readonly failures: readonly LoadFailure[];
  readonly durationMs: number;
  /** The longest that a good answer took. */
  readonly slowestMs: number;
}

/** A load client at work. */
export interface Load {
  /** What it saw so far. */
  report(): Promise<LoadReport>;
  /** Lets the requests under way end, and reports. */
  stop(): Promise<LoadReport>;
  /** Resolves when `count` requests are done, or after `stop()`. */
  readonly done: Promise<LoadReport>;
}

/**
 * Sends counted HTTP requests from a namespace: each on a new connection, none of them retried.
 * It works in a thread of its own, so that a busy test does not slow it down.
 */
export async function startLoad(namespace: Namespace, options: LoadOptions): Promise<Load> {
  const workerData = { namespace: namespace.name, port: 80, path: '/', concurrency: 4, timeoutMs: 5000, ...options };
  const worker = new Worker(new URL('load-worker.js', import.meta.url), { workerData });
  namespace.atStop(() => worker.terminate());
  await once(worker, 'online');
  const done = new Promise<LoadReport>((resolve, reject) => {
    worker.on('message', (message: { last: boolean; report: LoadReport }) => {
      if (message.last) resolve(message.report);
    });
    worker.on('error', reject);
  });
  const report = async (): Promise<LoadReport> => {
    worker.postMessage('report');
    const next = once(worker, 'message') as Promise<[{ report: LoadReport }]>;
    return Promise.race([done, next.then(([message]) => message.report)]);
  };
  const stop = (): Promise<LoadReport> => {
    worker.postMessage('stop');
    return done;
  };
  return { report, stop, done };
}

/** Sends `count` requests and reports. */
export async function sendLoad(namespace: Namespace, options: LoadOptions & { count: number }): Promise<LoadReport> {
  return (await startLoad(namespace, options)).done;
}
