import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Whether this host's own kernel has IPVS: then no virtual machine is needed. */
export function hostHasIpvs() {
  if (process.env.IPVSD_LAB_MACHINE === '1') return false;
  if (!existsSync('/proc/net/ip_vs')) spawnSync('modprobe', ['-q', 'ip_vs']);
  return existsSync('/proc/net/ip_vs');
}

/**
 * Runs the script in a network namespace of its own (IPVS tables are per namespace), with a /run of its own so that
 * the names of further namespaces are its own too.
 * @param {string} script for bash
 * @returns {Promise<number>} the exit code
 */
export function runInNamespace(script) {
  const prepare = 'mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/netns /run/lock && ip link set lo up || exit 1';
  const child = spawn('unshare', ['--net', '--mount', 'bash', '-c', `${prepare}\n${script}`], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve(code ?? 1));
  });
}
