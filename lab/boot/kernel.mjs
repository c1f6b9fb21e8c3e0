import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache } from './cache.mjs';
import { updateLists } from './packages.mjs';
import { say } from './say.mjs';

/**
 * A stock Debian kernel, unpacked in the cache and never installed.
 * @typedef {{ release: string, image: string, modules: string }} Kernel `release` such as `6.1.0-57-amd64`, `image`
 * the vmlinuz to boot, `modules` the folder to bind over /lib/modules
 */

/**
 * Finds the kernel in the cache, or fetches it: the newest one of this Debian, or the package that
 * $IPVSD_LAB_KERNEL names.
 * @returns {Kernel}
 * @throws {Error} when apt has no such package, or cannot fetch it
 */
export function findKernel() {
  const wanted = process.env.IPVSD_LAB_KERNEL;
  const choice = join(cache, 'kernel-package');
  const name = wanted ?? (existsSync(choice) ? readFileSync(choice, 'utf8').trim() : newestPackage());
  const folder = join(cache, 'kernel', name);
  if (!existsSync(folder)) fetchKernel(name, folder);
  if (wanted === undefined) writeFileSync(choice, name);
  const [release] = readdirSync(join(folder, 'lib/modules'));
  return { release, image: join(folder, 'boot', `vmlinuz-${release}`), modules: join(folder, 'lib/modules') };
}

/** Asks the meta package for its kernel: not the `cloud` flavour, which lacks 9p. */
function newestPackage() {
  const ask = () => spawnSync('apt-cache', ['depends', 'linux-image-amd64'], { encoding: 'utf8' });
  const parse = (text) => /Depends: (linux-image-\S+)/.exec(text ?? '')?.[1];
  const known = parse(ask().stdout);
  if (known !== undefined) return known;
  updateLists();
  const name = parse(ask().stdout);
  if (name === undefined) throw new Error('apt knows no linux-image-amd64: the lab needs Debian on a PC (amd64)');
  return name;
}

/**
 * @param {string} name of the package
 * @param {string} folder to unpack it into; appears only when complete
 */
function fetchKernel(name, folder) {
  say(`fetching the kernel ${name}`);
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const download = () => spawnSync('apt-get', ['-q', 'download', name], { cwd: part, encoding: 'utf8' });
  if (download().status !== 0) {
    updateLists();
    const second = download();
    if (second.status !== 0) throw new Error(`cannot download ${name}: ${second.stderr.trim()}`);
  }
  const deb = readdirSync(part).find((file) => file.endsWith('.deb')) ?? '';
  run('dpkg', ['-x', join(part, deb), part]);
  rmSync(join(part, deb));
  run('depmod', ['-b', part, readdirSync(join(part, 'lib/modules'))[0]]);
  renameSync(part, folder);
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr.trim()}`);
}
