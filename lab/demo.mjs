#!/usr/bin/env node
/** `npm run demo`, from a fresh clone: installs, builds, and runs demo.ts where the kernel has IPVS. */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { build, install } from './prepare.mjs';

const root = resolve(import.meta.dirname, '..');

if (!install() || !build()) process.exit(1);
const lab = [join(root, 'lab/run.mjs'), 'node', 'dist/lab/demo.js'];
process.exitCode = spawnSync(process.execPath, lab, { cwd: root, stdio: 'inherit' }).status ?? 1;
