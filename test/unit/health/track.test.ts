import t from 'tap';
import { track } from '../../../src/health/track.ts';
import type { EndpointHealth, Verdict } from '../../../src/model/health.ts';

const start = (verdict: Verdict, probed: boolean): EndpointHealth => ({
  verdict,
  probed,
  contradicting: 0,
  reason: 'seeded',
  sinceMs: 0,
});

/** Health after results written as `S` (passed) and `F` (failed), one a second from second 1. */
function after(seed: EndpointHealth, results: string, rise: number, fall: number): EndpointHealth {
  return results
    .split('')
    .reduce(
      (health, letter, index) =>
        track(
          health,
          { passed: letter === 'S', reason: `${letter}${index + 1}`, durationMs: 3 },
          { rise, fall },
          (index + 1) * 1000,
        ),
      seed,
    );
}

const unknown = start('unknown', false);
const adoptedUp = start('up', false);
const adoptedDown = start('down', false);
const up = start('up', true);
const down = start('down', true);

const table: readonly [string, EndpointHealth, string, Verdict, string, number][] = [
  ['a new endpoint comes up at its first passed probe', unknown, 'S', 'up', 'S1', 1000],
  ['a new endpoint that fails is down, with the reason', unknown, 'F', 'down', 'F1', 1000],
  ['a new endpoint that failed needs the whole rise', unknown, 'FS', 'down', 'F1', 1000],
  ['and comes up after it', unknown, 'FSS', 'up', 'S3', 3000],
  ['an adopted "down" is left at the first passed probe', adoptedDown, 'S', 'up', 'S1', 1000],
  ['an adopted "down" that fails once is a "down" as any other', adoptedDown, 'FS', 'down', 'F1', 0],
  ['an adopted "up" takes the whole fall', adoptedUp, 'FF', 'up', 'seeded', 0],
  ['an adopted "up" goes after the whole fall', adoptedUp, 'FFF', 'down', 'F3', 3000],
  ['failures that are not in a row do not count', up, 'FFSFFSFF', 'up', 'S6', 0],
  ['failures in a row do', up, 'FFF', 'down', 'F3', 3000],
  ['passes that are not in a row do not count', down, 'SFSFS', 'down', 'F4', 0],
  ['passes in a row do', down, 'SS', 'up', 'S2', 2000],
  ['the reason of "down" is that of the latest failure', down, 'FFF', 'down', 'F3', 0],
];

for (const [fact, seed, results, verdict, reason, sinceMs] of table) {
  t.test(`track() ${fact}`, (t) => {
    t.match(after(seed, results, 2, 3), { verdict, reason, sinceMs, probed: true });
    t.end();
  });
}

t.test('track() counts what contradicts the verdict, and keeps the last probe', (t) => {
  t.strictSame(after(up, 'SFF', 2, 3), {
    verdict: 'up',
    probed: true,
    contradicting: 2,
    reason: 'S1',
    sinceMs: 0,
    last: { atMs: 3000, durationMs: 3, passed: false, reason: 'F3' },
  });
  t.equal(after(up, 'FFS', 2, 3).contradicting, 0);
  t.equal(after(up, 'FFF', 2, 3).contradicting, 0);
  t.end();
});

t.test('track() with rise and fall of 1 follows every result', (t) => {
  t.equal(after(up, 'F', 1, 1).verdict, 'down');
  t.equal(after(up, 'FS', 1, 1).verdict, 'up');
  t.end();
});
