import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import t from 'tap';
import { https } from '../../../../src/health/checks/https.ts';
import { root } from '../../../support/root.ts';
import { runCheck } from '../../../support/run-check.ts';
import { serve } from '../../../support/serve.ts';

const fixture = (name: string): string => join(root, 'fixtures/health', name);
const ca = fixture('ca.pem');

/** What the server saw last. */
let seen = { sni: '' as unknown, host: '' };
const serverOf = (certificate: string): Server =>
  createServer({ cert: readFileSync(fixture(certificate)), key: readFileSync(fixture('server.key')) })
    .on('tlsClientError', () => undefined)
    .on('secureConnection', (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data: Buffer) => {
        seen = { sni: socket.servername, host: /^host: (.*)\r$/im.exec(data.toString())?.[1] ?? '' };
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nready');
      });
    });
const port = await serve(t, serverOf('server.pem'));
const target = { address: '127.0.0.1', port };

const table: readonly [string, Readonly<Record<string, unknown>>, RegExp][] = [
  ['refuses a certificate of an unknown authority', {}, /^FAILED: the certificate is of an unknown authority/],
  ['takes any certificate with verify off', { verify: false }, /^200 OK$/],
  ['takes one of the authority in ca, valid for the address', { ca }, /^200 OK$/],
  ['takes one that is valid for the name in host', { ca, host: 'web.example' }, /^200 OK$/],
  ['refuses one that is for another name', { ca, host: 'mail.example' }, /^FAILED: hostname\/IP does not match/],
  ['verifies sni rather than host', { ca, host: 'mail.example', sni: 'web.example' }, /^200 OK$/],
  [
    'refuses one that is not for sni',
    { ca, host: 'web.example', sni: 'mail.example' },
    /^FAILED: hostname\/IP does not/,
  ],
  ['looks at the body', { ca, body: '^ready$' }, /^200 OK$/],
  ['fails without its ca file', { ca: '/nowhere/ca.pem' }, /^FAILED: ca \/nowhere\/ca.pem: no such file$/],
  ['fails on a ca file without certificates', { ca: fixture('server.key') }, /server.key: holds no certificate/],
];

for (const [fact, options, expected] of table) {
  t.test(`https ${fact}`, async (t) => {
    t.match(await runCheck(https, target, options), expected);
  });
}

t.test('https keeps SNI and Host apart, and sends no SNI for an address', async (t) => {
  await runCheck(https, target, { verify: false, host: 'www.example:8443', sni: 'inner.example' });
  t.strictSame(seen, { sni: 'inner.example', host: 'www.example:8443' });
  await runCheck(https, target, { verify: false, host: 'www.example:8443' });
  t.strictSame(seen, { sni: 'www.example', host: 'www.example:8443' });
  await runCheck(https, target, { verify: false });
  t.strictSame(seen, { sni: false, host: `127.0.0.1:${port}` });
});

t.test('https reads its ca file again when it has changed', async (t) => {
  const file = join(t.testdir({ 'ca.pem': readFileSync(ca, 'utf8') }), 'ca.pem');
  t.equal(await runCheck(https, target, { ca: file }), '200 OK');
  writeFileSync(file, 'no longer');
  utimesSync(file, 1, 1);
  t.match(await runCheck(https, target, { ca: file }), /^FAILED: ca .*: holds no certificate in PEM form$/);
});

t.test('https refuses a self-signed certificate unless told otherwise', async (t) => {
  const port = await serve(t, serverOf('self-signed.pem'));
  const refused = await runCheck(https, { ...target, port });
  t.equal(refused, 'FAILED: the certificate is self-signed (set ca, or verify = false)');
  t.equal(await runCheck(https, { ...target, port }, { verify: false }), '200 OK');
  t.equal(await runCheck(https, { ...target, port }, { ca: fixture('self-signed.pem') }), '200 OK');
});

t.test('https says so when the other side does not speak TLS, or nothing at all', async (t) => {
  const plain = await serve(
    t,
    createPlainServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  );
  t.match(await runCheck(https, { ...target, port: plain }), /^FAILED: TLS: [a-z ]+$/);
  const mute = await serve(t, createPlainServer());
  const outcome = await runCheck(https, { ...target, port: mute }, {}, { timeoutMs: 300 });
  t.equal(outcome, 'FAILED: no TLS handshake within 300 ms');
});
