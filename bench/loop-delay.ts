/**
 * Preloaded into a daemon (`node --import`): writes the longest block of its event loop so far, in milliseconds, to the
 * file LOOP_DELAY at SIGUSR2, and begins anew. A timer that should fire each millisecond fires late by the length of the
 * block that kept it.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
  writeFileSync(process.env['LOOP_DELAY'] ?? '/dev/null', String(delay.max / 1e6));
  delay.reset();
});
