import { z } from 'zod';
import { parseEndpoint } from './parse-endpoint.ts';
import { choice, duration, flag, parsed, text, wanted, wholeSeconds } from './scalar-schema.ts';

/** `[daemon]`. */
export const daemonSchema = z.strictObject(
  {
    // sun_path of struct sockaddr_un holds 107 bytes and a zero (unix(7)); a longer path would be cut silently.
    control_socket: text('an absolute path of at most 107 bytes', /^\/[\x20-\x7e]{1,106}$/)
      .default('/run/ipvsd/control.sock')
      .describe('Unix socket of the commands.'),
    http: parsed('an address and port such as "127.0.0.1:9790"', parseEndpoint)
      .optional()
      .describe('Where /status and /ready are served over HTTP, for reading only; absent: nowhere.'),
    state_dir: text('an absolute path', /^\//)
      .default('/var/lib/ipvsd')
      .describe('Directory of what must outlive the daemon.'),
    watch: flag().default(false).describe('Reload when a file of the configuration changes.'),
    resync: duration(1000).prefault('30s').describe('How often the kernel is read back and drift repaired.'),
    unmanaged: choice(['keep', 'remove']).default('keep').describe('Services in the kernel that are not ours.'),
    on_stop: choice(['keep', 'remove']).default('keep').describe('At SIGTERM, keep the table or remove what is ours.'),
    log_level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
      .default('info')
      .describe('Least level logged.'),
  },
  { error: wanted('a table') },
);

/** `[timeouts]`: the kernel's idle timeouts of connections. */
export const timeoutsSchema = z.strictObject(
  {
    tcp: wholeSeconds().prefault('15m').describe('Established TCP connections.'),
    tcp_fin: wholeSeconds().prefault('2m').describe('TCP connections after a FIN.'),
    udp: wholeSeconds().prefault('5m').describe('UDP.'),
  },
  { error: wanted('a table') },
);
