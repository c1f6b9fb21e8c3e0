import t from 'tap';
import { z } from 'zod';
import { runProbe } from '../../../src/health/run-probe.ts';
import type { CheckType } from '../../../src/model/check-type.ts';
import { probeOf } from '../../../src/model/check.ts';

const timing = { intervalMs: 1000, intervalDownMs: 1000, timeoutMs: 500, rise: 1, fall: 1 };

/** A check that a hostile server answers with a text. */
async function reasonFrom(text: string, passed: boolean): Promise<string> {
  const type: CheckType = {
    name: 'hostile',
    options: z.strictObject({}),
    probe: () => (passed ? Promise.resolve(text) : Promise.reject(new Error(text))),
  };
  const probe = probeOf({ type: 'hostile', options: {}, ...timing }, { address: '192.0.2.1', port: 80 });
  return (await runProbe(new Map([['hostile', type]]), probe, new AbortController())).reason;
}

t.test('runProbe() lets no control characters of a server through to terminals and logs, and no novels', async (t) => {
  for (const passed of [true, false]) {
    t.equal(
      await reasonFrom('503 \u001b[31mEVIL\u001b]0;pwned\u0007 second\u009b2Jline', passed),
      '503  [31mEVIL ]0;pwned  second 2Jline',
    );
    t.equal((await reasonFrom('x'.repeat(100_000), passed)).length, 201);
  }
});
