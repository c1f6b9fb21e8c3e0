#!/usr/bin/env node
/**
 * `node lab/run.mjs COMMAND…` runs a command where the kernel has IPVS (README.md); without one, a shell.
 * Needs neither a build nor node_modules.
 */
import { join } from 'node:path';
import { chooseAcceleration } from './boot/acceleration.mjs';
import { buildInitramfs } from './boot/initramfs.mjs';
import { findKernel } from './boot/kernel.mjs';
import { runInMachine } from './boot/machine.mjs';
import { hostHasIpvs, runInNamespace } from './boot/own-kernel.mjs';
import { installPackages } from './boot/packages.mjs';

/** Variables that a test runner on this side sets for its own processes. */
const onlyHere = /^(NODE_|TAP_)/;

/** Time for a guest on a slow and busy host. */
const bootTimeoutMs = 120_000;

// so that no machine outlives its command
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

try {
  const code = await lab(process.argv.slice(2));
  process.stdout.write('', () => process.exit(code));
} catch (error) {
  console.error(`lab: ${error.message}`);
  process.exit(1);
}

/**
 * @param {string[]} command
 * @returns {Promise<number>} its exit code
 */
async function lab(command) {
  if (process.getuid?.() !== 0) throw new Error('needs root: it makes network namespaces and reads every file');
  const script = toScript(command);
  const machine = !hostHasIpvs();
  installPackages({ machine });
  if (!machine) return runInNamespace(script);
  const kernel = findKernel();
  const initramfs = buildInitramfs(kernel);
  const acceleration = await chooseAcceleration(kernel, initramfs);
  const terminal = command.length === 0 && process.stdin.isTTY;
  return runInMachine(
    { kernel, initramfs, acceleration, bootTimeoutMs, terminal },
    script,
    terminal ? undefined : process.stdin,
  );
}

/**
 * The command as a bash script: same folder, same environment.
 * @param {string[]} command
 */
function toScript(command) {
  const words = command.length === 0 ? ['bash', '-i'] : command;
  const environment = Object.entries(process.env).filter(
    ([name]) => /^[A-Za-z]\w*$/.test(name) && !onlyHere.test(name),
  );
  return [
    ...environment.map(([name, value]) => `export ${name}=${quote(value)}`),
    'export IPVSD_LAB=1 TAP_TIMEOUT=${IPVSD_LAB_TIMEOUT:-600}',
    `cd ${quote(join(import.meta.dirname, '..'))}`,
    `exec ${words.map(quote).join(' ')}`,
  ].join('\n');
}

/** @param {string} word */
function quote(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
