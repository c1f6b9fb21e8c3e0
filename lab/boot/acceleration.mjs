import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { cache } from './cache.mjs';
import { runInMachine } from './machine.mjs';
import { say } from './say.mjs';

/** A guest that works under KVM is ready long before. */
const trialMs = 15_000;

/**
 * Decides between KVM and software emulation: KVM only where a guest was seen to come up under it, tried once for each
 * pair of host and guest kernels. (There are hosts with a /dev/kvm under which a stock guest hangs in early boot.)
 * @param {import('./kernel.mjs').Kernel} kernel
 * @param {string} initramfs
 * @returns {Promise<'kvm' | 'tcg'>}
 */
export async function chooseAcceleration(kernel, initramfs) {
  const memory = join(cache, `acceleration-${release()}-${kernel.release}`);
  if (!canOpen('/dev/kvm')) return 'tcg';
  if (existsSync(memory)) return readFileSync(memory, 'utf8') === 'kvm' ? 'kvm' : 'tcg';
  say('trying KVM');
  const trial = { kernel, initramfs, acceleration: 'kvm', bootTimeoutMs: trialMs, terminal: false };
  const outcome = await runInMachine(trial, 'true').then(
    () => 'kvm',
    () => 'tcg',
  );
  say(outcome === 'kvm' ? 'KVM works here' : 'KVM does not work here: using software emulation');
  writeFileSync(memory, outcome);
  return outcome;
}

/** @param {string} path */
function canOpen(path) {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
