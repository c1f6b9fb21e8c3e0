import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { track } from '../../src/health/track.ts';
import type { EndpointHealth } from '../../src/model/health.ts';

const seed = fc
  .record({ verdict: fc.constantFrom('up', 'down', 'unknown'), probed: fc.boolean() })
  .map(({ verdict, probed }): EndpointHealth => ({
    verdict,
    probed: probed && verdict !== 'unknown',
    contradicting: 0,
    reason: '',
    sinceMs: 0,
  }));
const timing = fc.record({ rise: fc.integer({ min: 1, max: 6 }), fall: fc.integer({ min: 1, max: 6 }) });
const results = fc.array(fc.boolean(), { maxLength: 60 });

/** Every health that a walk passes through, the seed first. */
function walk(
  first: EndpointHealth,
  check: { readonly rise: number; readonly fall: number },
  passes: readonly boolean[],
): EndpointHealth[] {
  const path = [first];
  passes.forEach((passed, index) => {
    const result = { passed, reason: '', durationMs: 0 };
    path.push(track(path[index] ?? first, result, check, index + 1));
  });
  return path;
}

/** How many results at the end of a list are the same as its last. */
function streak(passes: readonly boolean[]): number {
  return passes.length - 1 - passes.findLastIndex((passed) => passed !== passes.at(-1));
}

t.test('track() never takes an endpoint out before `fall` failures in a row', (t) => {
  fc.assert(
    fc.property(seed, timing, results, (first, check, passes) => {
      walk(first, check, passes).forEach((health, index, path) => {
        const before = path[index - 1];
        if (before?.verdict === 'up' && health.verdict === 'down') {
          const failures = streak(passes.slice(0, index));
          assert.equal(passes[index - 1], false);
          assert.ok(failures >= check.fall, `${failures} of ${check.fall}`);
        }
      });
    }),
  );
  t.pass();
  t.end();
});

t.test('track() agrees with the end of every history that is long enough', (t) => {
  fc.assert(
    fc.property(seed, timing, results, fc.boolean(), (first, check, passes, last) => {
      const ending = Array.from({ length: last ? check.rise : check.fall }, () => last);
      const end = walk(first, check, [...passes, ...ending]).at(-1);
      assert.equal(end?.verdict, last ? 'up' : 'down');
    }),
  );
  t.pass();
  t.end();
});

t.test('track() changes `since` exactly when the verdict changes, and never forgets the last probe', (t) => {
  fc.assert(
    fc.property(seed, timing, results, (first, check, passes) => {
      walk(first, check, passes).forEach((health, index, path) => {
        const before = path[index - 1];
        if (before === undefined) return;
        assert.equal(health.sinceMs, health.verdict === before.verdict ? before.sinceMs : index);
        assert.equal(health.last?.atMs, index);
        assert.ok(health.contradicting < Math.max(check.rise, check.fall));
        assert.notEqual(health.verdict, 'unknown');
      });
    }),
  );
  t.pass();
  t.end();
});
