import type { CheckType } from '../../src/model/check-type.ts';
import type { Target } from '../../src/model/check.ts';

/** What one probe of a check says, its options written as in the file: its remark, or `FAILED: ` and the reason. */
export async function runCheck(
  type: CheckType,
  target: Target,
  options: Readonly<Record<string, unknown>> = {},
  { timeoutMs = 2000, signal = new AbortController().signal } = {},
): Promise<string> {
  try {
    return await type.probe(target, type.options.parse(options) as never, { timeoutMs, signal });
  } catch (error) {
    return `FAILED: ${(error as Error).message}`;
  }
}
