import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { cache } from './cache.mjs';
import { say } from './say.mjs';

/** What the guest needs before it can see the host's files; their dependencies come along. */
const wanted = ['virtio_pci', '9pnet_virtio', '9p', 'overlay', 'virtio_console'];

const init = join(import.meta.dirname, '../guest/init');

/**
 * Builds the small first root of the guest (busybox, a few modules, guest/init), once per kernel and init.
 * @param {import('./kernel.mjs').Kernel} kernel
 * @returns {string} the image's path
 */
export function buildInitramfs(kernel) {
  const version = createHash('sha256').update(readFileSync(init)).update(wanted.join()).digest('hex').slice(0, 12);
  const image = join(cache, `initramfs-${kernel.release}-${version}`);
  if (existsSync(image)) return image;
  say('building the initramfs');
  const root = mkdtempSync(join(cache, 'initramfs.'));
  for (const folder of ['bin', 'dev', 'proc', 'modules', 'root', 'host', 'over']) mkdirSync(join(root, folder));
  copyFileSync('/bin/busybox', join(root, 'bin/busybox'));
  copyFileSync(init, join(root, 'init'));
  chmodSync(join(root, 'init'), 0o755);
  copyModules(kernel, root);
  const made = `${image}.${process.pid}`;
  execFileSync('sh', ['-c', 'find . | /bin/busybox cpio -o -H newc >"$1"', 'sh', made], { cwd: root, stdio: 'pipe' });
  rmSync(root, { recursive: true });
  renameSync(made, image);
  return image;
}

/**
 * Copies the modules and their dependencies, unpacked, with their order of loading in `modules/order`.
 * @param {import('./kernel.mjs').Kernel} kernel
 * @param {string} root
 */
function copyModules(kernel, root) {
  const folder = join(kernel.modules, kernel.release);
  const order = [];
  for (const path of loadOrder(readFileSync(join(folder, 'modules.dep'), 'utf8'))) {
    const name = basename(path).replace(/\.ko.*/, '.ko');
    const content = path.endsWith('.xz')
      ? execFileSync('xz', ['-dc', join(folder, path)], { maxBuffer: 1 << 26 })
      : readFileSync(join(folder, path));
    writeFileSync(join(root, 'modules', name), content);
    order.push(name);
  }
  writeFileSync(join(root, 'modules/order'), order.join('\n') + '\n');
}

/**
 * Modules in the order in which they can be loaded; those built into the kernel are in no such list.
 * @param {string} modulesDep text of modules.dep: `path: dependency …`, the dependency needed first is named last
 */
function loadOrder(modulesDep) {
  const lines = new Map(
    modulesDep.split('\n').map((line) => {
      const [path = '', rest = ''] = line.split(':');
      return [basename(path).replace(/\.ko.*/, ''), [path, ...rest.trim().split(/\s+/)].filter(Boolean).reverse()];
    }),
  );
  return [...new Set(wanted.flatMap((name) => lines.get(name) ?? []))];
}
