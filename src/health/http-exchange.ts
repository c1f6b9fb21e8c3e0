import type { IncomingMessage, request as Request } from 'node:http';
import type { Socket } from 'node:net';
import type { ProbeContext } from '../model/check-type.ts';
import { attempt, type Attempt } from './attempt.ts';
import type { HttpOptions } from './http-options.ts';
import { inStatusList } from './status-list.ts';

const bodyLimit = 65_536;
const headerLimit = 16_384;

/** What an exchange needs besides its options: how to connect, and the Host header. */
export interface Transport {
  readonly request: typeof Request;
  readonly host: string;
  connect(attempt: Attempt): Socket;
}

/** One HTTP/1.1 request on a connection of its own, and the verdict on its response. Nothing is read beyond what decides. */
export function exchange(options: HttpOptions, context: ProbeContext, transport: Transport): Promise<string> {
  return attempt(context, (attempt) => {
    attempt.waitFor('connection');
    const request = transport.request({
      method: options.method,
      path: options.path,
      headers: { 'user-agent': 'ipvsd', accept: '*/*', ...options.headers, host: transport.host },
      maxHeaderSize: headerLimit,
      // Without an agent there is no keep-alive, and the request says `Connection: close`.
      createConnection: () => transport.connect(attempt),
    });
    request.on('response', (response) => {
      judge(response, options, attempt);
    });
    request.on('error', attempt.fail);
    request.on('close', () => {
      attempt.fail('connection closed too early');
    });
    request.end();
    return () => request.destroy();
  });
}

function judge(response: IncomingMessage, options: HttpOptions, attempt: Attempt): void {
  const { statusCode = 0, statusMessage = '' } = response;
  const status = `${statusCode} ${statusMessage}`.trim();
  if (!inStatusList(options.status, statusCode)) {
    attempt.fail(`status ${status} (expected ${options.status.join(', ')})`);
  } else if (options.body === undefined) {
    attempt.pass(status);
  } else {
    const pattern = new RegExp(options.body);
    attempt.waitFor('end of the response body');
    readStart(response, attempt, (text) => {
      if (pattern.test(text)) attempt.pass(status);
      else attempt.fail(`status ${status}, but the body does not match ${String(pattern)}`);
    });
  }
}

/** Reads the body up to its end or the limit, whichever comes first. */
function readStart(response: IncomingMessage, attempt: Attempt, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = (): void => {
    done(Buffer.concat(chunks).toString('utf8', 0, bodyLimit));
  };
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= bodyLimit) finish();
  });
  response.on('end', finish);
  response.on('error', attempt.fail);
}
