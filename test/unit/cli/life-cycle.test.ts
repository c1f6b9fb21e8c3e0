import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { ipvsd, runDaemon } from '../../support/run-daemon.ts';

/** A directory with a short name: the path of a Unix socket may have 107 bytes. */
function temporary(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'ipvsd-'));
  t.teardown(() => {
    rmSync(directory, { recursive: true });
  });
  return directory;
}

/** A real server on loopback. */
async function realServer(t: Test): Promise<{ port: number; server: Server }> {
  const server = createServer((_, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return { port: (server.address() as AddressInfo).port, server };
}

const text = (directory: string, port: number, weight = 10, daemon = ''): string => `
[daemon]
control_socket = "${directory}/control.sock"
state_dir = "${directory}/state"
${daemon}
[service.www]
listen = ["192.0.2.10:80"]
check = { type = "http", interval = "200ms", timeout = "200ms", rise = 1, fall = 4 }
[[service.www.server]]
name = "a"
address = "127.0.0.1"
port = ${port}
weight = ${weight}
`;

/** A directory with a configuration, and the daemon that runs it. */
async function started(t: Test, daemonKeys = '') {
  const directory = temporary(t);
  const { port, server } = await realServer(t);
  const file = join(directory, 'ipvsd.toml');
  const write = (weight: number): void => {
    writeFileSync(file, text(directory, port, weight, daemonKeys));
  };
  write(10);
  const daemon = runDaemon(t, file);
  await daemon.logged(/^ready$/);
  await daemon.logged(/www\/a is up/);
  return { directory, port, server, file, write, daemon };
}

type Status = {
  degraded: boolean;
  services: { listeners: { servers: { verdict: string; weight: number | null }[] }[] }[];
};

async function firstServer(file: string) {
  const { stdout } = await ipvsd('status', '--json', '-c', file);
  return (JSON.parse(stdout) as Status).services[0]?.listeners[0]?.servers[0];
}

t.test('reload: applied, then rejected with the old configuration going on, and its exit codes', async (t) => {
  const { file, write, daemon, server } = await started(t);
  write(20);
  t.match(await ipvsd('reload', '-c', file), { code: 0, stdout: /^applied in \d+ ms: changes: 1/ });
  t.match(await firstServer(file), { verdict: 'up', weight: 20 });

  writeFileSync(file, `${text('x', 1)}\n[service.www2]\nlisten = ["nonsense"]\n`);
  const rejected = await ipvsd('reload', '--socket', join(file, '../control.sock'), '-c', file);
  t.match(rejected, { code: 1, stdout: /^rejected/ });
  t.match(rejected.stderr, new RegExp(`^${file}:\\d+:\\d+: service\\.www2\\.listen\\[0\\]: `, 'm'));

  server.close();
  await daemon.logged(/www\/a is down: connection refused/);
  t.match(await ipvsd('status', '--exit-code', '--socket', join(file, '../control.sock'), '-c', file), {
    code: 4,
    stdout: /last reload: rejected/,
  });
});

t.test('SIGHUP reloads; a steady state logs nothing; SIGTERM ends it with code 0 within a second', async (t) => {
  const { write, daemon } = await started(t);
  await daemon.logged(/\+ 127\.0\.0\.1/);
  const quiet = daemon.log.length;
  await setTimeout(1000);
  t.equal(daemon.log.length, quiet, 'several probes, no line');
  write(30);
  daemon.process.kill('SIGHUP');
  await daemon.logged(/weight 10 → 30/);
  await daemon.logged(/reload applied/);
  const startMs = performance.now();
  daemon.process.kill('SIGTERM');
  t.equal(await daemon.ended, 0);
  t.ok(performance.now() - startMs < 1000, 'within a second');
});

t.test('watch: a rename, a burst and a swapped symbolic link are one reload each', async (t) => {
  const directory = temporary(t);
  const { port } = await realServer(t);
  for (const release of ['one', 'two']) {
    mkdirSync(join(directory, release));
    writeFileSync(
      join(directory, release, 'ipvsd.toml'),
      text(directory, port, release === 'one' ? 10 : 40, 'watch = true'),
    );
  }
  symlinkSync(join(directory, 'one/ipvsd.toml'), join(directory, 'ipvsd.toml'));
  const daemon = runDaemon(t, join(directory, 'ipvsd.toml'));
  await daemon.logged(/www\/a is up/);
  const reloads = (): number => daemon.log.filter(({ msg }) => msg === 'reload applied').length;
  await setTimeout(300);

  symlinkSync(join(directory, 'two/ipvsd.toml'), join(directory, 'next'));
  renameSync(join(directory, 'next'), join(directory, 'ipvsd.toml'));
  await daemon.logged(/weight 10 → 40/);
  await daemon.logged(/reload applied/);

  const file = join(directory, 'ipvsd.toml');
  rmSync(file);
  writeFileSync(file, text(directory, port, 50, 'watch = true'));
  await daemon.logged(/weight 40 → 50/);
  await setTimeout(500);
  const before = reloads();
  for (let weight = 60; weight < 80; weight++) writeFileSync(file, text(directory, port, weight, 'watch = true'));
  await daemon.logged(/ → 79/);
  await setTimeout(500);
  t.equal(reloads() - before, 1, 'a burst of twenty writes is one reload');

  writeFileSync(`${file}.tmp`, text(directory, port, 90, 'watch = true'));
  renameSync(`${file}.tmp`, file);
  await daemon.logged(/ → 90/);
  t.pass('an editor that writes by rename is noticed');
});

t.test('a second daemon on the same state directory, or the same socket, is refused', async (t) => {
  const { directory, file, port } = await started(t);
  const second = runDaemon(t, file);
  t.equal(await second.ended, 1);
  t.match(second.log.at(-1)?.msg, /another ipvsd is using .*state/);

  const other = join(directory, 'other.toml');
  writeFileSync(other, text(directory, port).replace('/state"', '/state2"'));
  const third = runDaemon(t, other);
  t.equal(await third.ended, 1);
  t.match(third.log.at(-1)?.msg, /another daemon is listening on/);
});

t.test('a socket left behind by a killed daemon is replaced', async (t) => {
  const { file, daemon } = await started(t);
  daemon.process.kill('SIGKILL');
  await daemon.ended;
  t.match(await ipvsd('reload', '-c', file), { code: 1, stderr: /^ipvsd: no daemon is listening on / });
  await runDaemon(t, file).logged(/^ready$/);
  t.match(await ipvsd('reload', '-c', file), { code: 0 });
});

t.test('a log that nobody reads holds up nothing', async (t) => {
  const directory = temporary(t);
  const file = join(directory, 'ipvsd.toml');
  const unused = Array.from({ length: 100 }, (_, i) => `[check.unused${i}]\ntype = "tcp"\n`).join('');
  writeFileSync(file, text(directory, 80) + unused);
  const daemon = runDaemon(t, file);
  await daemon.logged(/^ready$/);
  daemon.process.stderr?.pause();
  // Each reload warns a hundred times; a pipe holds 64 KiB.
  for (let i = 0; i < 15; i++) t.match(await ipvsd('reload', '-c', file), { code: 0 });
  t.match(await ipvsd('status', '-c', file), { code: 0 });
  const startMs = performance.now();
  daemon.process.kill('SIGTERM');
  await new Promise((resolve) => daemon.process.once('exit', resolve));
  t.ok(performance.now() - startMs < 1000, 'and it ends within a second');
});

t.test('a control_socket that names a file leaves the file alone', async (t) => {
  const directory = temporary(t);
  const file = join(directory, 'ipvsd.toml');
  writeFileSync(file, text(directory, 80));
  writeFileSync(join(directory, 'control.sock'), 'precious');
  const daemon = runDaemon(t, file);
  t.equal(await daemon.ended, 1);
  t.match(daemon.log.at(-1)?.msg, /control\.sock exists and is not a socket/);
  t.equal(readFileSync(join(directory, 'control.sock'), 'utf8'), 'precious');
});

t.test('SIGHUP while it starts is a reload, not the end', async (t) => {
  const directory = temporary(t);
  const { port } = await realServer(t);
  const file = join(directory, 'ipvsd.toml');
  writeFileSync(file, text(directory, port));
  const daemon = runDaemon(t, file);
  while (!existsSync(join(directory, 'state/lock'))) await setTimeout(1);
  daemon.process.kill('SIGHUP');
  await daemon.logged(/^ready$/);
  await daemon.logged(/^reload applied$/);
});

t.test('watch: a log that is written beside the configuration is no change of it', async (t) => {
  const { directory, daemon, write } = await started(t, 'watch = true');
  write(20);
  await daemon.logged(/^reload applied$/);
  const before = daemon.log.length;
  for (let i = 0; i < 10; i++) writeFileSync(join(directory, 'daemon.log'), String(i));
  await setTimeout(500);
  t.equal(daemon.log.length, before);
});

t.test('an invalid configuration does not start: code 1 and the problems, no stack trace', async (t) => {
  const file = join(t.testdir({ 'ipvsd.toml': 'x = 1\n' }), 'ipvsd.toml');
  const daemon = runDaemon(t, file);
  t.equal(await daemon.ended, 1);
  t.match(daemon.log[0]?.msg, /ipvsd\.toml:1:1: x: unknown key/);
  t.notOk(daemon.log.some(({ msg }) => msg.trim().startsWith('at ')));
});

t.test('plan and apply on the in-memory kernel; exit codes', async (t) => {
  const directory = temporary(t);
  const file = join(directory, 'ipvsd.toml');
  writeFileSync(file, text(directory, 80));
  t.match(await ipvsd('plan', '--kernel', 'memory', '-c', file), { code: 0, stdout: /^plan: 2 to add/m });
  t.match(await ipvsd('plan', '--kernel', 'memory', '--exit-code', '-c', file), { code: 2 });
  t.match(await ipvsd('apply', '--kernel', 'memory', '-c', file), { code: 0, stdout: /2 to add/ });
  t.match(await ipvsd('apply', '--kernel', 'moon', '-c', file), { code: 1, stderr: /no such kernel: moon/ });
  t.match(await ipvsd('plan', '-c', join(directory, 'no.toml')), { code: 1, stderr: /no\.toml: / });
});

t.test('help, unknown commands and options', async (t) => {
  t.match(await ipvsd('--help'), { code: 0, stdout: /^usage: ipvsd COMMAND/ });
  t.match(await ipvsd('status', '--help'), { code: 0, stdout: /--exit-code/ });
  t.match(await ipvsd('relaod'), { code: 1, stderr: /^ipvsd: no such command "relaod"; did you mean "reload"\?/ });
  t.match(await ipvsd('check', '--bogus'), {
    code: 1,
    stderr: 'ipvsd: unknown option \'--bogus\' (see "ipvsd check --help")\n',
  });
  t.match(await ipvsd('--version'), { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
});

t.test('http serves /ready and /status, and nothing that changes anything', async (t) => {
  const spare = createServer();
  await new Promise<void>((resolve) => spare.listen(0, '127.0.0.1', resolve));
  const { port } = spare.address() as AddressInfo;
  await new Promise((resolve) => spare.close(resolve));
  const { file } = await started(t, `http = "127.0.0.1:${port}"`);
  const at = (path: string): string => `http://127.0.0.1:${port}${path}`;
  const ready = await fetch(at('/ready'));
  t.match([ready.status, await ready.text()], [200, /^services: 1, probed: 1, not up: 0/]);
  t.match(await (await fetch(at('/status'))).json(), { degraded: false, services: [{ name: 'www' }] });
  t.equal((await fetch(at('/v1/reload'), { method: 'POST' })).status, 405);
  t.equal((await fetch(at('/nothing'))).status, 404);
  t.match(await ipvsd('status', '--exit-code', '-c', file), { code: 0, stdout: /all is well/ });
});
