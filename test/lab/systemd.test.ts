import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { vip } from '../../lab/topology.ts';
import { until } from '../../lab/until.ts';
import { makeBalancer } from '../support/balancer.ts';
import { listenNotify } from '../support/notify-socket.ts';

t.setTimeout(900_000);

const file = `
[service.www]
listen = ["${vip.v4}:80"]
server = [{ address = "10.2.0.11" }]
`;

t.test('systemd hears when the daemon is ready, reloads, refuses, lives, hangs and stops', async (t) => {
  const balancer = await makeBalancer(t, { servers: 1 });
  const path = join(balancer.folder, 'notify.sock');
  const systemd = listenNotify(path);
  t.teardown(() => {
    systemd.close();
  });
  /** Waits for a message from the given position on. @returns the position after it */
  const heard = async (pattern: RegExp, from: number): Promise<number> => {
    const find = (): number =>
      systemd.messages.findIndex((message, index) => index >= from && pattern.test(message)) + 1;
    const next = await until(`the message ${pattern.source}`, find);
    t.match(systemd.messages[next - 1], pattern);
    return next;
  };

  await balancer.configure(file);
  await balancer.start({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '1000000' });
  let at = await heard(/^READY=1$/m, 0);
  t.match(systemd.messages[at - 1], /^STATUS=services: 1\b/m, 'with a status');
  t.notMatch(systemd.messages.slice(0, at - 1).join('\n'), /READY=1/, 'once');
  t.strictSame(await balancer.table(), ['tcp 10.1.0.100:80 wlc: 10.2.0.11:80 nat 1'], 'after the first round');

  const startUs = monotonicUs();
  await balancer.hangUp();
  at = await heard(/^RELOADING=1$/m, at);
  const saidUs = Number(/^MONOTONIC_USEC=(\d+)$/m.exec(systemd.messages[at - 1] ?? '')?.[1]);
  t.ok(saidUs >= startUs && saidUs <= monotonicUs(), 'RELOADING=1 comes with the time, as Type=notify-reload wants it');
  at = await heard(/^READY=1$/m, at);
  t.notMatch(systemd.messages[at - 1], /rejected/);

  await balancer.configure('[service]\nwww = 1');
  await balancer.hangUp();
  at = await heard(/^RELOADING=1$/m, at);
  at = await heard(/^READY=1$/m, at);
  t.match(
    systemd.messages[at - 1],
    /^STATUS=reload rejected, the old configuration runs on/m,
    'a refused reload shows in STATUS',
  );

  await heard(/^WATCHDOG=1$/, await heard(/^WATCHDOG=1$/, at));
  balancer.daemon.signal('SIGSTOP');
  await sleep(300); // what was sent before the stop
  const { length } = systemd.messages;
  await sleep(2500);
  t.equal(systemd.messages.length, length, 'a process that hangs gives no sign of life for longer than WATCHDOG_USEC');
  balancer.daemon.signal('SIGCONT');
  at = await heard(/^WATCHDOG=1$/, length);

  t.equal(await balancer.daemon.stop(), 0);
  t.equal(await heard(/^STOPPING=1$/m, at), systemd.messages.length, 'the last word');
});

/** CLOCK_MONOTONIC, in microseconds. */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
