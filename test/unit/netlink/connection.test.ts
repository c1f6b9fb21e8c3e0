import { stat } from 'node:fs';
import t from 'tap';
import { Connection } from '../../../src/netlink/connection.ts';
import { before } from '../../../src/netlink/deadline.ts';
import type { Message } from '../../../src/netlink/message-reader.ts';
import { MessageWriter } from '../../../src/netlink/message-writer.ts';
import { NetlinkError } from '../../../src/netlink/netlink-error.ts';
import type { Transport } from '../../../src/netlink/transport.ts';
import { functionTransport } from '../../support/function-transport.ts';
import { acknowledgement, done, message, requestsOf, u32 } from '../../support/netlink-bytes.ts';

const family = 28;

/** A connection whose sockets come from a list of kernels, the last one for ever; what became of the sockets. */
function connect(...kernels: readonly ((sequence: number, count: number) => readonly Uint8Array[])[]) {
  const sockets: (Transport & { closed: number })[] = [];
  const open = () => {
    const kernel = kernels[Math.min(sockets.length, kernels.length - 1)];
    const socket = functionTransport((datagram) => {
      const requests = requestsOf(datagram);
      return kernel?.(requests[0]?.sequence ?? 0, requests.length) ?? [];
    });
    sockets.push(socket);
    return socket;
  };
  return { connection: new Connection({ open }), sockets };
}

function batch(count: number): MessageWriter {
  const writer = new MessageWriter();
  for (let index = 0; index < count; index++) {
    writer.begin(family, 1, 1, 0);
    writer.end();
  }
  return writer;
}

const reply = (sequence: number, flags: number, value: number) =>
  message(family, flags, sequence, Buffer.from([0, 1, 0, 0]), u32(value));

/** Reads a table of numbers. */
async function readNumbers(connection: Connection): Promise<readonly number[]> {
  let numbers: number[] = [];
  await connection.read({
    operation: 'read numbers',
    write: (writer) => {
      writer.begin(family, 4, 1, 0x300);
      writer.end();
    },
    start: () => {
      numbers = [];
    },
    read: ({ view, start }: Message) => {
      numbers.push(view.getUint32(start + 4, true));
    },
  });
  return numbers;
}

void t.test("execute() maps refusals to the messages of the batch, with the kernel's text", async (t) => {
  const { connection } = connect((sequence) => [
    acknowledgement(sequence + 1, 17),
    Buffer.concat([acknowledgement(sequence + 3, 34, 'out of range'), acknowledgement(sequence + 4)]),
  ]);
  t.strictSame(await connection.execute('try', batch(5)), [
    { index: 1, errno: 17, detail: '' },
    { index: 3, errno: 34, detail: 'out of range' },
  ]);
});

void t.test('only the last message of a batch asks for an acknowledgement', (t) => {
  t.strictSame(
    requestsOf(batch(3).finish(7)).map(({ flags, sequence }) => [flags, sequence]),
    [
      [1, 7],
      [1, 8],
      [5, 9],
    ],
  );
  t.end();
});

void t.test('a reply that never comes is an error, and the next call works on a new socket', async (t) => {
  const { connection, sockets } = connect(
    () => [],
    (sequence) => [acknowledgement(sequence)],
  );
  await t.rejects(connection.execute('try', batch(1)), { code: 'ETIMEDOUT', operation: 'try', detail: /no answer/ });
  t.strictSame(await connection.execute('try', batch(1)), []);
  t.strictSame(
    sockets.map(({ closed }) => closed),
    [1, 0],
    'the old socket is closed',
  );
});

void t.test('a kernel that hangs in send() is given up at the deadline', async (t) => {
  const hanging: Transport = { ...functionTransport(() => []), send: () => new Promise(() => undefined) };
  const connection = new Connection({ open: () => hanging, timeoutMs: 20 });
  await t.rejects(connection.execute('try', batch(1)), { code: 'ETIMEDOUT' });
});

void t.test('a process that stood still past the deadline takes the answer that is there', async (t) => {
  const answer = new Promise<string>((resolve) => {
    stat('.', () => {
      resolve('answered');
    });
  });
  const waiting = before(20, answer);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
  t.equal(await waiting, 'answered');
});

void t.test('late answers to requests that were given up are not taken for others', async (t) => {
  const { connection } = connect((sequence) => [
    acknowledgement(sequence - 1, 17),
    reply(sequence - 1, 2, 666),
    reply(sequence, 2, 1),
    done(sequence),
  ]);
  t.strictSame(await readNumbers(connection), [1]);
});

void t.test('read() takes a table in several datagrams', async (t) => {
  const { connection } = connect((sequence) => [
    Buffer.concat([reply(sequence, 2, 1), reply(sequence, 2, 2)]),
    reply(sequence, 2, 3),
    done(sequence),
  ]);
  t.strictSame(await readNumbers(connection), [1, 2, 3]);
});

void t.test('read() starts again when the kernel says that the table changed', async (t) => {
  let attempts = 0;
  const { connection, sockets } = connect((sequence) => {
    attempts += 1;
    return [reply(sequence, attempts === 1 ? 0x12 : 2, attempts), done(sequence)];
  });
  t.strictSame(await readNumbers(connection), [2]);
  t.equal(sockets.length, 1);
});

void t.test('read() gives up on a table that never stands still', async (t) => {
  let attempts = 0;
  const { connection } = connect((sequence) => {
    attempts += 1;
    return [done(sequence, 0x12)];
  });
  await t.rejects(readNumbers(connection), { code: 'EINTR', detail: /changed/ });
  t.equal(attempts, 4);
});

void t.test('read() throws what the kernel refuses, and keeps the socket', async (t) => {
  const { connection, sockets } = connect((sequence) => [acknowledgement(sequence, 1)]);
  await t.rejects(readNumbers(connection), {
    code: 'EPERM',
    errno: 1,
    message: 'cannot read numbers: operation not permitted (EPERM)',
  });
  await t.rejects(readNumbers(connection), { code: 'EPERM' });
  t.equal(sockets.length, 1);
});

void t.test('lost answers make everything unknown: an error, and a new socket', async (t) => {
  const overrun = connect(
    () => [message(4, 0, 0)],
    (sequence) => [acknowledgement(sequence + 1)],
  );
  await t.rejects(overrun.connection.execute('try', batch(2)), { code: 'ENOBUFS', detail: /lost answers/ });
  t.strictSame(await overrun.connection.execute('try', batch(2)), []);
  const full = new Connection({
    open: () => ({
      ...functionTransport(() => []),
      receive: () => {
        throw new NetlinkError('receive from the kernel', 105);
      },
    }),
  });
  await t.rejects(full.execute('try', batch(1)), { code: 'ENOBUFS', operation: 'try', detail: /lost answers/ });
});

void t.test('a malformed answer gives the socket up', async (t) => {
  const { connection, sockets } = connect(
    () => [Buffer.alloc(20)],
    (sequence) => [done(sequence)],
  );
  await t.rejects(readNumbers(connection), { code: 'EBADMSG' });
  t.strictSame(await readNumbers(connection), []);
  t.strictSame(
    sockets.map(({ closed }) => closed),
    [1, 0],
  );
});
