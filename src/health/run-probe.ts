import type { CheckType } from '../model/check-type.ts';
import type { Probe, ProbeResult } from '../model/check.ts';
import { formatDuration } from './format-duration.ts';
import { reasonOf } from './reason.ts';

/** How long past its deadline a check type may take before it is given up, in milliseconds. */
const graceMs = 250;

/** As much of a reason as is kept, in characters. */
const longestReason = 200;

/**
 * Runs one probe to a result. Always settles: a check type that keeps neither its deadline nor an abort is left behind.
 */
export async function runProbe(
  checkTypes: ReadonlyMap<string, CheckType>,
  { check, target }: Probe,
  abort: AbortController,
): Promise<ProbeResult> {
  const startedMs = performance.now();
  const result = (passed: boolean, reason: string): ProbeResult => ({
    passed,
    reason: harmless(reason),
    durationMs: performance.now() - startedMs,
  });
  const { timeoutMs } = check;
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    const end = (reason: string): void => {
      reject(new Error(reason));
      abort.abort();
    };
    const expire = (): void => {
      end(`no result within ${formatDuration(timeoutMs)}`);
    };
    // As in attempt(): after a stall of the event loop, results that are ready count.
    timer = setTimeout(() => setImmediate(expire), timeoutMs + graceMs);
    abort.signal.addEventListener('abort', () => {
      end('given up');
    });
  });
  try {
    const type = checkTypes.get(check.type);
    if (type === undefined) throw new Error(`unknown type of check: ${check.type}`);
    const context = { timeoutMs, signal: abort.signal };
    return result(true, await Promise.race([type.probe(target, check.options as never, context), ended]));
  } catch (error) {
    return result(false, reasonOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** What a server or a program says ends up on terminals and in logs: one line, without control characters. */
function harmless(reason: string): string {
  const line = reason.replace(/\p{Cc}+/gu, ' ').trim();
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line;
}
