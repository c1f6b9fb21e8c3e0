import { fstatSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { destination, pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/** How log lines are written: JSON for programs, text for people, text with syslog priorities for the journal. */
export type LogFormat = 'json' | 'terminal' | 'journal';

/** A pino log line, parsed. */
type Line = { level: number; time: number; msg: string } & Record<string, unknown>;

/** As much as is kept of a log that nobody reads, in bytes; what comes after is lost. */
const mostUnread = 1 << 20;
/** How long the end of the log may take, in milliseconds. */
const flushMs = 200;

/** The daemon's log on standard error. */
export interface Log {
  readonly log: Logger;
  /** Writes what is left, as far as somebody reads it. */
  close(): Promise<void>;
}

/** Opens the log. Whoever reads it, or does not, never holds up the daemon: it is written in the background. */
export function openLog(level: string, format: LogFormat): Log {
  const stderr = destination({ fd: 2, sync: false, maxLength: mostUnread });
  // A disk that is full takes the log, not the daemon.
  stderr.on('error', () => undefined);
  const stream: DestinationStream =
    format === 'json' ? stderr : { write: (line) => void stderr.write(formatLine(JSON.parse(line) as Line, format)) };
  const close = async (): Promise<void> => {
    const written = new Promise((resolve) => {
      stderr.flush(resolve);
    });
    await Promise.race([written, setTimeout(flushMs)]);
    stderr.destroy();
  };
  return { log: pino({ level, base: null }, stream), close };
}

/** The format that suits what standard error is connected to. */
export function logFormat(env: NodeJS.ProcessEnv, isTerminal: boolean): LogFormat {
  if (isTerminal) return 'terminal';
  // systemd.exec(5): JOURNAL_STREAM is the device and inode of the journal's socket, when that is where stderr goes.
  const { dev, ino } = fstatSync(2);
  return env['JOURNAL_STREAM'] === `${dev}:${ino}` ? 'journal' : 'json';
}

/** pino's levels in words, and as syslog priorities (sd-daemon(3)). */
const levels: Readonly<Record<number, readonly [word: string, priority: number, color: number]>> = {
  10: ['trace', 7, 90],
  20: ['debug', 7, 90],
  30: ['info', 6, 32],
  40: ['warning', 4, 33],
  50: ['error', 3, 31],
  60: ['fatal', 2, 31],
};

/** One log line as text. */
export function formatLine({ level, time, msg, ...fields }: Line, format: 'terminal' | 'journal'): string {
  const [word, priority, color] = levels[level] ?? ['info', 6, 32];
  const details = Object.entries(fields).map(([name, value]) => ` ${name}=${detail(value)}`);
  if (format === 'journal') return `<${priority}>${msg}${details.join('')}\n`;
  const clock = new Date(time).toISOString().slice(11, 23);
  return `${clock} \x1b[${color}m${word.padEnd(7)}\x1b[0m ${msg}\x1b[90m${details.join('')}\x1b[0m\n`;
}

/** A field's value on one line. Quoted when it would be ambiguous. */
function detail(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.:/[\]-]+$/.test(text) ? text : JSON.stringify(text);
}
