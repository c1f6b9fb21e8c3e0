#!/usr/bin/env node
/**
 * `node lab/stories.mjs [FILE…]` runs compiled test programs (all of dist/test/lab when none is named) in one boot of
 * the lab, and prints their TAP as one stream: it is itself a test program that `tap` can run.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { merge } from './boot/merge-tap.mjs';

const root = resolve(import.meta.dirname, '..');
const lanes = process.env.IPVSD_LAB_LANES ?? '2';
const named = process.argv.slice(2);
const files = (named.length > 0 ? named.map((file) => resolve(file)) : compiledTests()).map((f) => relative(root, f));

const command = ['bash', 'lab/guest/lanes.sh', lanes, ...files];
const lab = spawn(process.execPath, [join(import.meta.dirname, 'run.mjs'), ...command], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGALRM']) process.once(signal, () => lab.kill());
const merged = merge((line) => console.log(line));
createInterface(lab.stdout).on('line', (line) => {
  const [, number, rest] = /^(\d+) (.*)$/.exec(line) ?? [];
  if (number !== undefined) merged.add(files[number - 1], rest);
});
lab.on('close', (code) => {
  process.exitCode = merged.end(code === 0 ? '' : `the lab ended with code ${code}`, files) ? 0 : 1;
});

function compiledTests() {
  const folder = join(root, 'dist/test/lab');
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .sort()
    .map((name) => join(folder, name));
}
