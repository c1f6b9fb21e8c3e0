import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { say } from './say.mjs';

/** What each Debian package is there for, by a file that shows it is installed. */
const witnesses = {
  'busybox-static': '/bin/busybox',
  kmod: '/sbin/depmod',
  iproute2: '/sbin/ip',
  ipvsadm: '/sbin/ipvsadm',
  nftables: '/usr/sbin/nft',
  tcpdump: '/usr/bin/tcpdump',
  'util-linux': '/usr/bin/nsenter',
};

const forMachine = { 'qemu-system-x86': '/usr/bin/qemu-system-x86_64', 'xz-utils': '/usr/bin/xz' };

/**
 * Installs the Debian packages that are missing.
 * @param {{ machine: boolean }} needs whether a virtual machine will be booted
 * @throws {Error} where there is no apt, or it fails
 */
export function installPackages({ machine }) {
  const wanted = { ...witnesses, ...(machine ? forMachine : {}) };
  const missing = Object.keys(wanted).filter((name) => !existsSync(wanted[name]));
  if (missing.length === 0) return;
  say(`installing ${missing.join(' ')}`);
  const install = ['install', '-y', '--no-install-recommends', ...missing];
  if (apt(install).status === 0) return;
  updateLists();
  const second = apt(install);
  if (second.status !== 0) throw new Error(`cannot install ${missing.join(' ')}: ${lastLine(second)}`);
}

/** Brings apt's package lists up to date. @throws {Error} when apt cannot */
export function updateLists() {
  say('apt-get update');
  const update = apt(['update']);
  if (update.status !== 0) throw new Error(`apt-get update failed: ${lastLine(update)}`);
}

/** @param {string[]} args */
function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-q', ...args], { env, encoding: 'utf8' });
}

/** @param {import('node:child_process').SpawnSyncReturns<string>} result */
function lastLine(result) {
  if (result.error) return `${result.error.message} (the lab needs Debian's apt-get)`;
  return result.stderr.trim().split('\n').at(-1) ?? '';
}
