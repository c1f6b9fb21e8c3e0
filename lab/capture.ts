import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Namespace } from './namespace.ts';
import { until } from './until.ts';

/** Packets as lines of tcpdump's text, being captured. */
export interface Capture {
  /** The lines so far, such as `IP 10.1.0.10.40000 > 10.2.0.11.80: Flags [S], …`; continuation lines are joined on. */
  readonly lines: readonly string[];
  /** Ends the capture and returns its lines. */
  stop(): Promise<readonly string[]>;
}

/**
 * Captures packets on an interface of a namespace; ready (really listening) when it resolves.
 * @param filter in tcpdump's language, such as `tcp port 80`
 * @param interfaceName such as `servers`, or `any`
 */
export async function startCapture(namespace: Namespace, interfaceName: string, filter = ''): Promise<Capture> {
  const lines: string[] = [];
  const words = filter.split(' ').filter(Boolean);
  const tcpdump = namespace.spawn('tcpdump', '-lntvi', interfaceName, '--immediate-mode', ...words);
  let said = '';
  tcpdump.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  if (tcpdump.stdout) {
    createInterface(tcpdump.stdout).on('line', (line) => {
      if (/^\s/.test(line) && lines.length > 0) lines.push(`${lines.pop() ?? ''} ${line.trim()}`);
      else lines.push(line);
    });
  }
  await until('tcpdump listens', () => said.includes('listening on') || (tcpdump.exitCode === null ? '' : said));
  if (tcpdump.exitCode !== null) throw new Error(`tcpdump ended: ${said.trim()}`);
  const stop = async (): Promise<readonly string[]> => {
    tcpdump.kill('SIGINT');
    await once(tcpdump, 'close');
    return lines;
  };
  return { lines, stop };
}
