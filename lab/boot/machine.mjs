import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';

/** Memory of the guest in MiB: taken from the host only as it is used. */
const memoryMib = 3000;

const start = join(import.meta.dirname, '../guest/start.sh');

/**
 * @typedef {object} Machine what to boot
 * @property {import('./kernel.mjs').Kernel} kernel
 * @property {string} initramfs
 * @property {'kvm' | 'tcg'} acceleration
 * @property {number} bootTimeoutMs how long it may take until it is ready for the script
 * @property {boolean} terminal whether the command gets this terminal, instead of three streams of bytes
 */

/**
 * Boots the machine, runs the script in it, and resolves with the script's exit code.
 * @param {Machine} machine
 * @param {string} script for bash, as root in the guest
 * @param {import('node:stream').Readable} [stdin] of the script; nothing when absent
 * @returns {Promise<number>}
 * @throws {Error} with the end of the console's text when the guest does not come up, or dies
 */
export async function runInMachine(machine, script, stdin) {
  const console = machine.terminal ? ['inherit', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'];
  const qemu = spawn('qemu-system-x86_64', qemuArgs(machine), {
    stdio: [...console, 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const stop = () => qemu.kill('SIGKILL');
  process.once('exit', stop);
  const late = setTimeout(stop, machine.bootTimeoutMs);
  const consoleEnd = keepEnd([qemu.stdout, qemu.stderr]);
  passStreams(qemu.stdio, stdin);
  const exitCode = talk(qemu.stdio[3], script, { onReady: () => clearTimeout(late), onExit: stop });
  await new Promise((resolve, reject) => qemu.on('error', reject).on('close', resolve));
  clearTimeout(late);
  process.off('exit', stop);
  const code = exitCode();
  if (code === undefined) throw new Error(`the virtual machine did not come up, or ended early: ${consoleEnd()}`);
  return code;
}

/** @param {Machine} machine */
function qemuArgs({ kernel, initramfs, acceleration, terminal }) {
  const { rows = 24, columns = 80 } = process.stdout;
  const words = ['console=ttyS0', 'quiet', 'loglevel=1', 'panic=-1', 'mitigations=off', 'nokaslr'];
  words.push(`lab.start=${start}`, `lab.modules=${kernel.modules}`, terminal ? `lab.terminal=${rows}x${columns}` : '');
  const ports = ['control', 'stdin', 'stdout', 'stderr'].flatMap((name, index) => [
    ...['-chardev', `socket,id=${name},fd=${index + 3}`],
    ...['-device', `virtserialport,chardev=${name},nr=${index + 1}`],
  ]);
  return [
    ...(acceleration === 'kvm' ? ['-accel', 'kvm', '-cpu', 'host'] : ['-accel', 'tcg,thread=multi', '-cpu', 'max']),
    ...['-smp', String(Math.min(4, Math.max(2, availableParallelism()))), '-m', String(memoryMib)],
    ...['-nodefaults', '-no-reboot', '-display', 'none', '-net', 'none'],
    ...['-chardev', 'stdio,id=console,signal=off', '-serial', 'chardev:console'],
    ...['-kernel', kernel.image, '-initrd', initramfs, '-append', words.join(' ')],
    // before the share: the guest counts virtio devices, and looks for its ports on the first
    ...['-device', 'virtio-serial-pci', ...ports],
    ...['-virtfs', 'local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap'],
  ];
}

/**
 * @param {import('node:child_process').ChildProcess['stdio']} stdio ports are 4 (in), 5 (out) and 6 (err)
 * @param {import('node:stream').Readable} [stdin]
 */
function passStreams(stdio, stdin) {
  const [input, output, errors] = stdio.slice(4);
  input.on('error', () => undefined); // the command may end without having read all its input
  if (stdin === undefined) input.end();
  else stdin.pipe(input);
  output.pipe(process.stdout, { end: false });
  errors.pipe(process.stderr, { end: false });
}

/**
 * Speaks the control port's lines with guest/start.sh: it says `ready`, hears the script, and says the exit code.
 * @param {import('node:stream').Duplex} control
 * @param {string} script
 * @param {{ onReady: () => void, onExit: () => void }} then
 * @returns {() => number | undefined} the exit code so far
 */
function talk(control, script, { onReady, onExit }) {
  let code;
  let text = '';
  control.on('error', () => undefined);
  control.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
    if (text === 'ready\n') {
      onReady();
      control.write(Buffer.from(script).toString('base64') + '\n');
    }
    code = /^ready\n(\d+)\n/.exec(text)?.[1];
    if (code !== undefined) onExit(); // all output has come: no need to wait for the power to go off
  });
  return () => (code === undefined ? undefined : Number(code));
}

/**
 * Remembers the last lines of some streams.
 * @param {(import('node:stream').Readable | null)[]} streams
 */
function keepEnd(streams) {
  let end = '';
  for (const stream of streams) {
    stream?.setEncoding('utf8').on('data', (text) => {
      end = (end + text).slice(-4000);
    });
  }
  return () => (end.trim() === '' ? 'its console said nothing' : `its console said:\n${end.trim()}`);
}
