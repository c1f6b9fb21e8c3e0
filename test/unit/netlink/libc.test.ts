import { closeSync, mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Connection } from '../../../src/netlink/connection.ts';
import { resolveFamily } from '../../../src/netlink/generic-family.ts';
import {
  bindSocket,
  closeDescriptor,
  lockFile,
  openSocket,
  receiveNow,
  sendDatagram,
} from '../../../src/netlink/libc.ts';
import { openNetlinkSocket } from '../../../src/netlink/socket-transport.ts';

const NETLINK_GENERIC = 16;
const descriptors = () => readdirSync('/proc/self/fd').length;

void t.test('10,000 requests to the real kernel leave no descriptor behind', async (t) => {
  const connection = new Connection({ open: () => openNetlinkSocket(NETLINK_GENERIC) });
  t.equal(await resolveFamily(connection, 'nlctrl'), 0x10);
  const before = descriptors();
  for (let call = 1; call < 10_000; call++) await resolveFamily(connection, 'nlctrl');
  t.equal(descriptors(), before);
  connection.close();
  t.equal(descriptors(), before - 1);
});

void t.test("the real kernel's refusal carries its name and words", async (t) => {
  const connection = new Connection({ open: () => openNetlinkSocket(NETLINK_GENERIC) });
  await t.rejects(resolveFamily(connection, 'no_such_family'), {
    code: 'ENOENT',
    message: /cannot find the netlink family no_such_family: no such file or directory \(ENOENT\)/,
  });
  connection.close();
});

void t.test('openSocket() names what the kernel refuses', (t) => {
  t.throws(() => openSocket(9999, 1, 0), { name: 'NetlinkError', code: 'EAFNOSUPPORT' });
  t.end();
});

void t.test('lockFile() is refused while another descriptor holds the lock', (t) => {
  const file = join(t.testdir(), 'lock');
  const [first, second] = [openSync(file, 'w'), openSync(file, 'w')];
  t.equal(lockFile(first), true);
  t.equal(lockFile(second), false);
  closeSync(first);
  t.equal(lockFile(second), true, 'closing the file gives the lock back');
  closeSync(second);
  t.throws(() => lockFile(second), { code: 'EBADF' });
  t.end();
});

/** Receives what is sent to a Unix datagram socket of that address. */
function received(address: Buffer, send: () => void): string {
  const fd = openSocket(1, 2, 0);
  try {
    bindSocket(fd, Buffer.concat([Buffer.from([1, 0]), address]));
    send();
    const buffer = Buffer.alloc(100);
    return buffer.toString('utf8', 0, receiveNow(fd, buffer));
  } finally {
    closeDescriptor(fd);
  }
}

void t.test('sendDatagram() reaches sockets by path and by abstract name', (t) => {
  // A socket's path has room for 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), 'ipvsd-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'notify');
  t.equal(
    received(Buffer.from(`${path}\0`), () => {
      sendDatagram(path, 'READY=1');
    }),
    'READY=1',
  );
  const name = `@ipvsd-test-${process.pid}`;
  t.equal(
    received(Buffer.from(name.replace('@', '\0')), () => {
      sendDatagram(name, 'STATUS=über');
    }),
    'STATUS=über',
  );
  const before = descriptors();
  t.throws(
    () => {
      sendDatagram(`${path}-absent`, 'READY=1');
    },
    { code: 'ENOENT', message: /notify-absent/ },
  );
  t.equal(descriptors(), before, 'and leaves no descriptor behind when there is none');
  t.end();
});
