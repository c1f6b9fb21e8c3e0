#!/usr/bin/env node
/**
 * `npm test`: everything, from a fresh clone to the last line `N passed, N failed, N skipped`. A step that fails does
 * not stop the next ones, so that one run shows all there is to mend; the exit code tells.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, install, run, runBin } from '../lab/prepare.mjs';

const root = resolve(import.meta.dirname, '..');
const reports = join(root, '.tap/reports');
/** The newest Node that is supported, beside the one that runs this. */
const laterNode = '26';
const touchingTheSystem = ['cli', 'daemon', 'health', 'netlink'].map((folder) => `dist/test/unit/${folder}`);
const counts = { passed: 0, failed: 0, skipped: 0 };

check('node is 20.19 or later', isNodeNewEnough);
check('npm ci', install);
check('tsc: build and types', build);
check('eslint', () => runBin('eslint', '.'));
check('prettier', () => runBin('prettier', '--check', '--log-level=warn', '.'));
test('unit', 'unit and property tests', 'dist/test/unit', 'dist/test/property');
check('a later Node, as an npm package', findLaterNode);
test('later-node', `what touches the system, on Node ${laterNode}`, ...touchingTheSystem);
// one program, which boots the lab, runs all of dist/test/lab in it and watches the time itself
test('lab', 'tests against a real kernel', '--timeout=0', 'lab/stories.mjs');

console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/**
 * Does a step that counts as one check.
 * @param {string} title
 * @param {() => boolean} work
 */
function check(title, work) {
  const ok = timed(title, work);
  counts[ok ? 'passed' : 'failed']++;
}

/**
 * Runs test programs with tap, and counts their assertions.
 * @param {string} name of the report that is left in .tap/reports
 * @param {string} title
 * @param {string[]} args
 */
function test(name, title, ...args) {
  const report = join(reports, `${name}.tap`);
  mkdirSync(reports, { recursive: true });
  rmSync(report, { force: true });
  const look = process.stdout.isTTY ? [] : ['--no-color', '--reporter=base'];
  const ok = timed(title, () => runTap(name, `--output-file=${report}`, ...look, ...args));
  const { pass, fail, todo, skip } = summary(report);
  counts.passed += pass;
  counts.skipped += skip + todo;
  // a run that ended badly with no failing assertion has failed all the same
  counts.failed += Math.max(fail, ok && pass > 0 ? 0 : 1);
}

/**
 * @param {string} name the tests called `later-node` run on that one
 * @param {string[]} args
 */
function runTap(name, ...args) {
  if (name !== 'later-node') return runBin('tap', 'run', ...args);
  return run(process.env.IPVSD_LATER_NODE, join(root, 'node_modules/.bin/tap'), 'run', ...args);
}

/** Finds the program; the tests in the lab take its path from the environment. */
function findLaterNode() {
  const found = spawnSync('npx', ['-y', '-p', `node@${laterNode}`, 'which', 'node'], { encoding: 'utf8' });
  process.env.IPVSD_LATER_NODE = found.stdout.trim();
  console.log(process.env.IPVSD_LATER_NODE || found.stderr);
  return found.status === 0;
}

/**
 * Reads tap's own summary, the last `# { total: 5, pass: 3, fail: 1, skip: 1 }` of a report.
 * @param {string} report
 */
function summary(report) {
  let text = '';
  try {
    text = /.*^# \{ (.*) \}$/ms.exec(readFileSync(report, 'utf8'))?.[1] ?? '';
  } catch {
    console.log(`tap left no ${report}`);
  }
  const count = (word) => Number(new RegExp(`${word}: (\\d+)`).exec(text)?.[1] ?? 0);
  return { pass: count('pass'), fail: count('fail'), todo: count('todo'), skip: count('skip') };
}

/**
 * @param {string} title
 * @param {() => boolean} work
 */
function timed(title, work) {
  console.log(`\n== ${title}`);
  const start = Date.now();
  const ok = work();
  console.log(`== ${title}: ${ok ? 'ok' : 'FAILED'}, ${((Date.now() - start) / 1000).toFixed(1)} s`);
  return ok;
}

function isNodeNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  console.log(process.version);
  return major > 20 || (major === 20 && minor >= 19);
}
