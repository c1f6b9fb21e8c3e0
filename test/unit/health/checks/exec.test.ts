import { existsSync, readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { exec } from '../../../../src/health/checks/exec.ts';
import { runCheck } from '../../../support/run-check.ts';
import { until } from '../../../support/until.ts';

const target = { address: '192.0.2.1', port: 80 };
const isRoot = process.getuid?.() === 0;

/** Runs a shell script as a check. */
const script = (text: string, options: Readonly<Record<string, unknown>> = {}, timeoutMs = 5000): Promise<string> =>
  runCheck(exec, target, { command: ['/bin/sh', '-c', text], ...options }, { timeoutMs });

/** Whether a process runs whose command line holds a text. */
function runs(text: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .some((pid) => {
      try {
        return Number(pid) !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
      } catch {
        return false;
      }
    });
}

const table: readonly [string, string, string][] = [
  ['passes with exit code 0', 'exit 0', 'exit code 0'],
  ['shows the first line as a remark', 'echo; echo all is well; echo more', 'all is well'],
  ['fails with another exit code', 'exit 7', 'FAILED: exit code 7'],
  ['shows the first line as the reason', 'echo disk full >&2; exit 2', 'FAILED: exit code 2: disk full'],
  ['names the signal that ended it', 'kill -TERM $$', 'FAILED: ended by SIGTERM'],
  ['lets no control characters through', "printf '\\033[31mred\\n'; exit 1", 'FAILED: exit code 1: [31mred'],
  ['survives output without end', 'head -c 3000000 /dev/zero | tr "\\0" y', 'y'.repeat(200)],
  [
    'gives it a minimal environment',
    // The shell sets PWD and _, and tap adds its own variables to whatever its tests start.
    `env -0 | tr '\\n\\0' ' \\n' | grep -vE '^(PWD|_|NODE_OPTIONS|_?TAP[A-Z_]*)=' | sort | tr '\\n' ' '`,
    'IPVSD_ADDRESS=192.0.2.1 IPVSD_PORT=80 IPVSD_TIMEOUT_MS=5000 LANG=C ' +
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ],
  ['runs it in the root directory, without input', 'pwd; cat', '/'],
];

for (const [fact, text, expected] of table) {
  t.test(`exec ${fact}`, async (t) => {
    t.equal(await script(text), expected);
  });
}

t.test('exec uses no shell, and looks a plain name up', async (t) => {
  const outcome = await runCheck(exec, target, { command: ['printf', '%s %s', '$HOME;', '*'] });
  t.equal(outcome, '$HOME; *');
});

t.test('exec says why a program cannot run', async (t) => {
  const run = (program: string): Promise<string> => runCheck(exec, target, { command: [program] });
  t.match(await run('/nowhere/check'), /^FAILED: cannot run \/nowhere\/check: not found/);
  t.match(await run('/etc/passwd'), /^FAILED: cannot run \/etc\/passwd: user \S+ may not execute it$/);
});

t.test('exec kills all that the program started at the deadline', async (t) => {
  const startedMs = performance.now();
  t.equal(await script('sleep 98761 & sleep 98762', {}, 300), 'FAILED: no exit within 300 ms');
  t.ok(performance.now() - startedMs < 10_000);
  t.ok(await until(() => !runs('sleep\x009876')));
});

t.test('exec is not held up by what a program leaves behind, and leaves none of it', async (t) => {
  const startedMs = performance.now();
  t.equal(await script('sleep 98763 & echo done'), 'done');
  t.ok(performance.now() - startedMs < 10_000);
  t.ok(await until(() => !runs('sleep\x0098763')));
});

t.test('exec is not held up by what left the process group with its output open', async (t) => {
  const startedMs = performance.now();
  t.equal(await script('setsid sleep 15 & sleep 0.05; echo done'), 'done');
  t.ok(performance.now() - startedMs < 10_000);
});

t.test('exec is killed when it is given up', async (t) => {
  const abort = new AbortController();
  const outcome = runCheck(exec, target, { command: ['sleep', '98764'] }, { signal: abort.signal, timeoutMs: 20_000 });
  t.ok(await until(() => runs('sleep\x0098764')));
  abort.abort();
  t.equal(await outcome, 'FAILED: given up');
  t.ok(await until(() => !runs('sleep\x0098764')));
});

t.test('exec runs as nobody when the daemon is root, or as the user that is named', async (t) => {
  const who = 'echo $(id -un) $(id -G | wc -w)';
  if (isRoot) {
    t.equal(await script(who), 'nobody 1');
    t.match(await script('id -un', { user: 'root' }), 'root');
    t.equal(await script(who, { user: 'daemon' }), 'daemon 1');
  } else {
    t.equal(await script('id -u'), String(process.getuid?.()));
    t.match(await script('id -un', { user: 'root' }), /the daemon may not become user root/);
  }
  t.equal(await script(who, { user: 'no-such-user' }), 'FAILED: user no-such-user is not in /etc/passwd');
});

t.test('exec refuses a relative path and an empty command', (t) => {
  t.notOk(exec.options.safeParse({ command: ['bin/check'] }).success);
  t.notOk(exec.options.safeParse({ command: [] }).success);
  t.ok(exec.options.safeParse({ command: ['check'] }).success);
  t.end();
});
