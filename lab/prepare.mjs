/** What a fresh clone needs before anything of it can run. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** Installs the packages, unless node_modules has what package-lock.json asks for. @returns {boolean} whether that went well */
export function install() {
  return isInstalled() || run('npm', 'ci', '--no-audit', '--no-fund');
}

/** Builds. @returns {boolean} whether that went well */
export function build() {
  return runBin('tsc');
}

/**
 * Runs a program of a development dependency in the project's root.
 * @param {string} name
 * @param {string[]} args
 */
export function runBin(name, ...args) {
  return run(join(root, 'node_modules/.bin', name), ...args);
}

/**
 * Runs a program in the project's root, its output shown. @returns {boolean} whether it went well
 * @param {string} command
 * @param {string[]} args
 */
export function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) console.log(`${command}: ${error.message}`);
  return status === 0;
}

function isInstalled() {
  const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  try {
    const installed = read('node_modules/.package-lock.json');
    return Object.entries(read('package-lock.json')).every(
      ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
    );
  } catch {
    return false;
  }
}
