import fc from 'fast-check';
import assert from 'node:assert/strict';
import t from 'tap';
import { DueQueue } from '../../../src/health/due-queue.ts';
import { firstDelayMs, fractionOf, nextDueMs } from '../../../src/health/phase.ts';
import { probeLimit } from '../../../src/health/probe-limit.ts';

t.test('nextDueMs() keeps the phase when probes start late', (t) => {
  let dueMs = nextDueMs(0.37, 12_345, 2000);
  const phaseMs = dueMs % 2000;
  for (let round = 1; round < 50; round += 1) {
    const lateMs = (round * 37) % 900;
    const next = nextDueMs(0.37, dueMs + lateMs, 2000);
    t.equal(next - dueMs, 2000);
    t.equal(next % 2000, phaseMs);
    dueMs = next;
  }
  t.end();
});

t.test('nextDueMs() is a half to one and a half intervals away, whatever the phase', (t) => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 0.999_999, noNaN: true }),
      fc.integer({ min: 0, max: 10 ** 10 }),
      fc.integer({ min: 10, max: 3_600_000 }),
      (fraction, startedMs, intervalMs) => {
        const waitMs = nextDueMs(fraction, startedMs, intervalMs) - startedMs;
        assert.ok(waitMs >= intervalMs / 2 - 0.01 && waitMs < intervalMs * 1.5 + 0.01, `${waitMs}`);
      },
    ),
  );
  t.pass();
  t.end();
});

t.test('nextDueMs() lets the endpoints of one interval share few wake-ups', (t) => {
  const dues = Array.from({ length: 1000 }, (_, index) => nextDueMs(fractionOf(`10.0.0.${index}`), 0, 2000));
  t.equal(new Set(dues).size, 20);
  t.end();
});

t.test('firstDelayMs() probes one at once, and spreads many over a second or the interval', (t) => {
  t.equal(firstDelayMs(0.99, 1, 2000), 0);
  t.ok(firstDelayMs(0.99, 50, 2000) < 50);
  t.equal(firstDelayMs(0.5, 10_000, 2000), 500);
  t.equal(firstDelayMs(0.5, 10_000, 200), 100);
  t.end();
});

t.test('fractionOf() is always the same, and spreads similar keys evenly', (t) => {
  t.equal(fractionOf('tcp 10.0.0.1 80'), fractionOf('tcp 10.0.0.1 80'));
  const tenths = Array.from({ length: 10 }, () => 0);
  for (let index = 0; index < 2000; index += 1) {
    const tenth = Math.floor(fractionOf(`tcp 10.0.${index >> 8}.${index & 255} 80 {"type":"tcp"}`) * 10);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  t.ok(Math.min(...tenths) > 120 && Math.max(...tenths) < 280, tenths.join(' '));
  t.end();
});

t.test('DueQueue gives back what is due in order of time, and nothing else', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 0, max: 50 }), (dues, nowMs) => {
      const queue = new DueQueue<number>();
      for (const dueMs of dues) queue.push(dueMs, dueMs);
      const sorted = dues.toSorted((a, b) => a - b);
      for (const dueMs of sorted.filter((dueMs) => dueMs <= nowMs)) {
        assert.equal(queue.nextMs, dueMs);
        assert.equal(queue.take(nowMs), dueMs);
      }
      assert.equal(queue.take(nowMs), undefined);
      assert.equal(queue.nextMs, sorted.find((dueMs) => dueMs > nowMs) ?? Infinity);
    }),
  );
  t.pass();
  t.end();
});

t.test('probeLimit() leaves file descriptors for the rest of the daemon', (t) => {
  const limits = (soft: string): string => `Limit\nMax open files            ${soft}                20000    files\n`;
  t.equal(probeLimit(limits('256')), 96);
  t.equal(probeLimit(limits('20')), 1);
  t.equal(probeLimit(limits('1000000')), 4096);
  t.equal(probeLimit(limits('unlimited')), 4096);
  t.end();
});
