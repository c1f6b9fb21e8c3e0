import t from 'tap';
import { reasonOf } from '../../../src/health/reason.ts';

const error = (message: string, more: object = {}): Error => Object.assign(new Error(message), more);

const table: readonly [string, unknown, string][] = [
  ['an errno', error('connect EHOSTUNREACH 192.0.2.1:80', { code: 'EHOSTUNREACH' }), 'no route to host'],
  [
    'a lack of file descriptors',
    error('x', { code: 'EMFILE' }),
    'this process is out of file descriptors (raise LimitNOFILE)',
  ],
  ['a reset by the other side', error('x', { code: 'ECONNRESET', syscall: 'read' }), 'connection reset'],
  [
    'an early end that Node calls a reset',
    error('socket hang up', { code: 'ECONNRESET' }),
    'connection closed too early',
  ],
  ['a parser error', error('x', { code: 'HPE_INVALID', reason: 'bad line' }), 'not an HTTP response: bad line'],
  [
    'an error of OpenSSL',
    error('write EPROTO 80:error:0A00010B:SSL routines:f:wrong version number:x.c:1:\n', { code: 'EPROTO' }),
    'TLS: wrong version number',
  ],
  ['any other error, one line of it', error('Something odd\nat somewhere'), 'something odd'],
  ['what is no error', 'odd', 'odd'],
];

for (const [what, thrown, reason] of table) {
  t.test(`reasonOf() puts ${what} in words`, (t) => {
    t.equal(reasonOf(thrown), reason);
    t.end();
  });
}
