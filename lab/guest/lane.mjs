/**
 * `node lane.mjs CLAIMS FILE…` runs test programs one after the other in this one process, so that `tap`, which takes
 * seconds to load in an emulated machine, is loaded once. Lanes share the files: whoever makes CLAIMS/n has file n.
 */
import { mkdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { once } from 'node:events';
import { setTimeout } from 'node:timers';

const [claims, ...files] = process.argv.slice(2);

/** A file that takes longer hangs: end, and let tap report what had not. */
const fileTimeoutMs = 300_000;

for (const [index, file] of files.entries()) {
  if (!claim(index)) continue;
  const { default: t } = await import('tap'); // a lane that finds no file left shall not wait for it
  const start = Date.now();
  const hangs = setTimeout(() => process.exit(1), fileTimeoutMs);
  await import(resolve(file)).catch((error) => t.threw(error));
  if (!t.idle) await once(t, 'idle');
  hangs.close();
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  process.stderr.write(`lab: ${t.passing() ? 'ok' : 'not ok so far'}, ${basename(file)}, ${seconds} s\n`);
}

/** @param {number} index */
function claim(index) {
  try {
    mkdirSync(`${claims}/${index}`);
    return true;
  } catch {
    return false;
  }
}
