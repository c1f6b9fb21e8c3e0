import { checkTypes } from '../../src/health/check-types.ts';
import { Scheduler } from '../../src/health/scheduler.ts';
import { probeOf } from '../../src/model/check.ts';

/** A program: probes PORT on COUNT loopback addresses by TCP until each has a result, and prints how many are up. */
const [port, count] = process.argv.slice(2).map(Number) as [number, number];
const check = {
  type: 'tcp',
  options: {},
  intervalMs: 60_000,
  intervalDownMs: 60_000,
  timeoutMs: 20_000,
  rise: 1,
  fall: 1,
};
const probes = Array.from({ length: count }, (_, index) =>
  probeOf(check, { address: `127.1.${index >> 8}.${index & 255}`, port }),
);
let results = 0;
const scheduler = new Scheduler({
  checkTypes,
  onChange: ({ after }) => {
    if (after.verdict !== 'up') console.log(after.reason);
    results += 1;
    if (results < count) return;
    scheduler.stop();
    console.log(`${[...scheduler.health.values()].filter(({ verdict }) => verdict === 'up').length} up`);
  },
});
scheduler.reconcile(probes, () => ({ verdict: 'unknown', probed: false, contradicting: 0, reason: 'new', sinceMs: 0 }));
