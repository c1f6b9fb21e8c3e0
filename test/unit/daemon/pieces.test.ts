import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { formatLine } from '../../../src/daemon/log.ts';
import { makeDirectory } from '../../../src/daemon/make-directory.ts';
import { sleepAfter } from '../../../src/daemon/sleep.ts';
import { StateDirectory, readOwnership } from '../../../src/daemon/state-directory.ts';

t.test('sleepAfter() backs off from a second to a minute, and never beyond the resync', (t) => {
  const failing = (times: number, resyncMs = 300_000) =>
    sleepAfter({ failing: times, durationMs: 1, isDraining: false }, resyncMs);
  t.same(
    [1, 2, 3, 6, 7, 50].map((times) => failing(times)),
    [1000, 2000, 4000, 32_000, 60_000, 60_000],
  );
  t.equal(failing(50, 30_000), 30_000);
  t.end();
});

t.test('sleepAfter() looks at drains each second, less often where reading takes long', (t) => {
  const draining = (durationMs: number) => sleepAfter({ failing: 0, durationMs, isDraining: true }, 30_000);
  t.same([1, 50, 200, 5000].map(draining), [1000, 1000, 4000, 30_000]);
  t.equal(sleepAfter({ failing: 0, durationMs: 1, isDraining: false }, 30_000), 30_000);
  t.end();
});

t.test('formatLine() gives journald its priority and people a readable line', (t) => {
  const line = { level: 40, time: 0, msg: 'www/a is down: refused', check: 'tcp', reason: 'two words' };
  t.equal(formatLine(line, 'journal'), '<4>www/a is down: refused check=tcp reason="two words"\n');
  t.ok(formatLine(line, 'terminal').startsWith('00:00:00.000 \u001b[33mwarning\u001b[0m www/a is down'));
  t.end();
});

t.test('StateDirectory', async (t) => {
  const path = join(mkdtempSync(join(tmpdir(), 'ipvsd-')), 'state');
  const owned = new Map([['tcp 192.0.2.1:80', { drainMs: 5000, draining: { '10.0.0.1:80': 1 } }]]);
  const directory = await StateDirectory.open(path);
  await directory.remember(owned);
  t.same(await readOwnership(path), owned, 'readOwnership() reads what was remembered');
  await t.rejects(StateDirectory.open(path), { message: /another ipvsd is using/ }, 'a second daemon is refused');
  await directory.close();
  await (await StateDirectory.open(path)).close();

  writeFileSync(join(path, 'owned.json'), readFileSync(join(path, 'owned.json'), 'utf8').slice(0, -3));
  await t.rejects(readOwnership(path), { message: /owned\.json is damaged/ }, 'a damaged record is not taken for none');
  t.same(await readOwnership(join(path, 'elsewhere')), new Map(), 'no record is an empty one');
});

t.test('makeDirectory()', async (t) => {
  const path = join(mkdtempSync(join(tmpdir(), 'ipvsd-')), 'a/b/c');
  await makeDirectory(path);
  await makeDirectory(path);
  await t.rejects(makeDirectory('/proc/ipvsd'), { message: /^cannot make the directory \/proc\/ipvsd: ENOENT/ });
  writeFileSync(join(path, 'file'), '');
  await t.rejects(makeDirectory(join(path, 'file')), { message: /EEXIST/ });
});
