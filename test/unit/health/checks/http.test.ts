import { createServer, type Socket } from 'node:net';
import t from 'tap';
import { http } from '../../../../src/health/checks/http.ts';
import { runCheck } from '../../../support/run-check.ts';
import { serve } from '../../../support/serve.ts';

/** What a server does with a connection once a request has arrived. */
type Behaviour = (socket: Socket) => void;

const say =
  (...lines: string[]): Behaviour =>
  (socket) => {
    socket.end(lines.join('\r\n'));
  };
const ok = (body: string): Behaviour => say('HTTP/1.1 200 OK', `Content-Length: ${body.length}`, '', body);

/** Writes again and again, without end. */
const repeat =
  (start: string, piece: string, everyMs: number): Behaviour =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.on('close', () => {
      clearInterval(timer);
    });
  };

const table: readonly [string, Behaviour, Readonly<Record<string, unknown>>, string][] = [
  ['passes on a status of 2xx', ok('hello'), {}, '200 OK'],
  ['does not wait for a body that decides nothing', repeat('HTTP/1.1 200 OK\r\n\r\n', 'x', 10), {}, '200 OK'],
  ['fails on another status', say('HTTP/1.1 503 Busy', '', ''), {}, 'FAILED: status 503 Busy (expected 2xx)'],
  [
    'does not follow redirects',
    say('HTTP/1.1 302 Found', 'Location: http://127.0.0.1:1/', '', ''),
    { status: [200, '400-499'] },
    'FAILED: status 302 Found (expected 200, 400-499)',
  ],
  ['passes on a listed status', say('HTTP/1.1 404 Not Found', '', ''), { status: [404] }, '404 Not Found'],
  ['passes on a status in a range', say('HTTP/1.1 302', '', ''), { status: ['200-399'] }, '302'],
  ['passes when the body matches', ok('state: ready'), { body: '^state: (ready|busy)$' }, '200 OK'],
  [
    'fails when the body does not match',
    ok('state: failed'),
    { body: 'ready$' },
    'FAILED: status 200 OK, but the body does not match /ready$/',
  ],
  [
    'reads a body in chunks',
    say('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '3', 'rea', '2', 'dy', '0', '', ''),
    { body: '^ready$' },
    '200 OK',
  ],
  [
    'reads 64 KiB of a body without end',
    repeat('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(30_000), 1),
    { body: 'y' },
    'FAILED: status 200 OK, but the body does not match /y/',
  ],
  ['stops at 64 KiB', repeat('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(30_000), 1), { body: '^x{65536}$' }, '200 OK'],
  [
    'fails at its deadline when the body trickles',
    repeat('HTTP/1.1 200 OK\r\n\r\n', 'x', 20),
    { body: 'y' },
    'FAILED: no end of the response body within 300 ms',
  ],
  [
    'fails at its deadline when the headers trickle',
    repeat('HTTP/1.1 200 OK\r\n', 'X-More: x\r\n', 20),
    {},
    'FAILED: no response within 300 ms',
  ],
  ['fails at its deadline when nothing comes', () => undefined, {}, 'FAILED: no response within 300 ms'],
  [
    'does not take an interim response for the answer',
    (socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n'),
    {},
    'FAILED: no response within 300 ms',
  ],
  [
    'fails on headers without end',
    repeat('HTTP/1.1 200 OK\r\n', `X-More: ${'x'.repeat(4000)}\r\n`, 1),
    {},
    'FAILED: response headers are too large',
  ],
  ['fails on a reset', (socket) => socket.resetAndDestroy(), {}, 'FAILED: connection reset'],
  ['fails when the connection is closed', (socket) => socket.end(), {}, 'FAILED: connection closed too early'],
  [
    'fails when the body is cut short',
    say('HTTP/1.1 200 OK', 'Content-Length: 100', '', 'ready'),
    { body: 'ready' },
    'FAILED: connection closed too early',
  ],
  [
    'fails on an upgrade that nobody asked for',
    say('HTTP/1.1 101 Switching Protocols', 'Upgrade: x', 'Connection: upgrade', '', ''),
    {},
    'FAILED: connection closed too early',
  ],
  ['fails on what is not HTTP', say('SSH-2.0-OpenSSH_9.2', ''), {}, 'FAILED: not an HTTP response'],
];

for (const [fact, behaviour, options, expected] of table) {
  t.test(`http ${fact}`, async (t) => {
    const port = await serve(
      t,
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          behaviour(socket);
        });
      }),
    );
    const outcome = await runCheck(http, { address: '127.0.0.1', port }, options, { timeoutMs: 300 });
    t.equal(outcome.slice(0, expected.length), expected);
  });
}

t.test('http fails when nothing listens', async (t) => {
  t.equal(await runCheck(http, { address: '127.0.0.1', port: 1 }), 'FAILED: connection refused');
});

t.test('http sends the request as configured, and asks for no keep-alive', async (t) => {
  let request = '';
  const server = createServer((socket) => {
    socket.once('data', (data) => {
      request = data.toString('latin1');
      ok('')(socket);
    });
  });
  const port = await serve(t, server, '::1');
  const target = { address: '::1', port };
  await runCheck(http, target);
  t.match(request, /^GET \/ HTTP\/1\.1\r\n/);
  t.match(request, `\r\nhost: [::1]:${port}\r\n`);
  t.match(request, /\r\nconnection: close\r\n/i);
  await runCheck(http, target, {
    method: 'POST',
    path: '/healthz?deep=1',
    host: 'www.example',
    headers: { 'X-Token': 'abc', 'User-Agent': 'probe' },
  });
  t.match(request, /^POST \/healthz\?deep=1 HTTP\/1\.1\r\n/);
  t.match(request, /\r\nhost: www\.example\r\n/);
  t.match(request, /\r\nx-token: abc\r\n/i);
  t.match(request, /\r\nuser-agent: probe\r\n/i);
  t.equal(request.match(/user-agent/gi)?.length, 1);
});

t.test('http refuses what it could not send, or never match', (t) => {
  const bad: readonly [object, RegExp][] = [
    [{ body: '(ready' }, /invalid regular expression: \/\(ready\/: unterminated group/],
    [{ path: 'healthz' }, /must start with "\/"/],
    [{ path: '/a b' }, /no spaces/],
    [{ status: ['2x'] }, /must be like 200, "2xx" or "200-399"/],
    [{ status: [20] }, /./],
    [{ status: [] }, /./],
    [{ method: 'CONNECT' }, /./],
    [{ headers: { Host: 'www.example' } }, /Host has a key of its own/],
    [{ headers: { 'X-Y': 'a\r\nb' } }, /one line/],
    [{ sni: 'www.example' }, /sni/],
  ];
  for (const [options, message] of bad) {
    const issues = http.options.safeParse(options).error?.issues ?? [];
    t.match(
      issues
        .flatMap((issue) => (issue.code === 'invalid_key' ? issue.issues : [issue]))
        .map(({ message }) => message)
        .join('\n'),
      message,
    );
  }
  t.end();
});
