import { sendDatagram } from '../netlink/libc.ts';

/** Tells systemd what the daemon is doing (sd_notify(3)); does nothing when systemd did not ask. */
export interface ServiceManager {
  ready(status: string): void;
  reloading(): void;
  stopping(): void;
  /** Says how the daemon is; systemd hears of it only when the text changes. */
  status(text: string): void;
  /** A sign of life; due at least every `watchdogMs`. */
  alive(): void;
  /** Milliseconds within which a sign of life is due; undefined when there is no watchdog. */
  readonly watchdogMs?: number;
}

/** The service manager that the environment names (`NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`). */
export function serviceManager(env: NodeJS.ProcessEnv, pid: number): ServiceManager {
  const socket = env['NOTIFY_SOCKET'];
  const send = (...lines: string[]): void => {
    if (socket !== undefined) sendDatagram(socket, lines.join('\n'));
  };
  const watchdogMs = watchdogOf(env, pid);
  let told = '';
  return {
    ready: (status) => {
      send('READY=1', `STATUS=${status}`);
    },
    reloading: () => {
      // CLOCK_MONOTONIC, as systemd.service(5) wants it for Type=notify-reload.
      send('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`);
    },
    stopping: () => {
      send('STOPPING=1');
    },
    status: (text) => {
      if (text !== told) send(`STATUS=${text}`);
      told = text;
    },
    alive: () => {
      send('WATCHDOG=1');
    },
    ...(watchdogMs === undefined ? {} : { watchdogMs }),
  };
}

function watchdogOf(env: NodeJS.ProcessEnv, pid: number): number | undefined {
  const usec = Number(env['WATCHDOG_USEC']);
  const forUs = env['WATCHDOG_PID'] === undefined || Number(env['WATCHDOG_PID']) === pid;
  return forUs && usec > 0 ? usec / 1000 : undefined;
}
