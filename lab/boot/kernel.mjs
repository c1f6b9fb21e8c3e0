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
  const folder = kernelFolder();
  const [release] = readdirSync(join(folder, 'lib/modules'));
  return { release, image: join(folder, 'boot', `vmlinuz-${release}`), modules: join(folder, 'lib/modules') };
}

/** The folder of the kernel to use: the one that was used before, or a newly fetched one. */
function kernelFolder() {
  const folderOf = (name) => join(cache, 'kernel', name);
  const wanted = process.env.IPVSD_LAB_KERNEL;
  const memory = join(cache, 'kernel-package');
  const known = wanted ?? (existsSync(memory) ? readFileSync(memory, 'utf8') : undefined);
  if (known !== undefined && existsSync(folderOf(known))) return folderOf(known);
  const fetchIt = () => {
    const name = wanted ?? newestPackage();
    fetchKernel(name, folderOf(name));
    if (wanted === undefined) writeFileSync(memory, name);
    return folderOf(name);
  };
  try {
    return fetchIt();
  } catch {
    updateLists(); // old package lists may name a kernel that is no longer there, or none
    return fetchIt();
  }
}

/** Asks the meta package for its kernel: not the `cloud` flavour, which lacks 9p. */
function newestPackage() {
  const { stdout } = spawnSync('apt-cache', ['depends', 'linux-image-amd64'], { encoding: 'utf8' });
  const name = /Depends: (linux-image-\S+)/.exec(stdout ?? '')?.[1];
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
  run('apt-get', ['-q', 'download', name], part);
  const deb = readdirSync(part).find((file) => file.endsWith('.deb')) ?? '';
  run('dpkg', ['-x', join(part, deb), part]);
  rmSync(join(part, deb));
  run('depmod', ['-b', part, readdirSync(join(part, 'lib/modules'))[0]]);
  renameSync(part, folder);
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} [cwd]
 */
function run(command, args, cwd) {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr?.trim()}`);
}
