import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { didYouMean } from '../../../src/config/did-you-mean.ts';
import { glob } from '../../../src/config/glob.ts';
import { parseDuration } from '../../../src/config/parse-duration.ts';
import { parseAddresses, parseEndpoint, parseListen } from '../../../src/config/parse-endpoint.ts';
import { parseToml } from '../../../src/config/parse-toml.ts';
import { TomlParser } from '../../../src/config/toml-parser.ts';

void t.test('parseDuration() reads one number and one unit', (t) => {
  const cases: [string, number | undefined][] = [
    ['0s', 0],
    ['500ms', 500],
    ['2s', 2000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['5', undefined],
    ['-5s', undefined],
    ['1.5s', undefined],
    ['1h30m', undefined],
    ['5 s', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of cases) t.equal(parseDuration(text), expected, text);
  t.end();
});

void t.test('parseListen() expands addresses and keeps ports as a range', (t) => {
  const cases: [string, string[], [number, number]][] = [
    ['192.0.2.1:80', ['192.0.2.1'], [80, 80]],
    ['192.0.2.9-11:5000-5009', ['192.0.2.9', '192.0.2.10', '192.0.2.11'], [5000, 5009]],
    ['[2001:DB8:0:0::1]:65535', ['2001:db8::1'], [65535, 65535]],
    ['192.0.2.1:0', ['192.0.2.1'], [0, 0]],
  ];
  for (const [text, addresses, ports] of cases) t.strictSame(parseListen(text), { value: { addresses, ports } }, text);
  for (const text of [
    '',
    ':80',
    '192.0.2.1',
    '192.0.2.1:',
    '192.0.2.1:-1',
    '192.0.2.1:0-9',
    '[]:80',
    '[::]:80',
    'x:80',
  ]) {
    t.hasProp(parseListen(text), 'problem', text);
  }
  t.end();
});

void t.test('parseAddresses() refuses what is no address of one server', (t) => {
  for (const text of [
    '',
    '10.0.0',
    '010.0.0.1',
    '10.0.0.1-',
    '10.0.0.1-256',
    '10.0.0.3-1',
    '::1%lo',
    '::ffff:10.0.0.1',
  ]) {
    t.hasProp(parseAddresses(text), 'problem', text);
  }
  t.strictSame(parseAddresses('10.0.0.254-255'), { value: ['10.0.0.254', '10.0.0.255'] });
  t.end();
});

void t.test('parseEndpoint() takes the unspecified address, to bind to', (t) => {
  t.strictSame(parseEndpoint('0.0.0.0:9790'), { value: { address: '0.0.0.0', port: 9790 } });
  t.strictSame(parseEndpoint('[::]:9790'), { value: { address: '::', port: 9790 } });
  for (const text of ['9790', ':9790', '[::1]', '127.0.0.1:0', '127.0.0.1:65536'])
    t.hasProp(parseEndpoint(text), 'problem', text);
  t.end();
});

void t.test('didYouMean() names the nearest known word, if it is near', (t) => {
  const known = ['scheduler', 'server', 'weight', 'port', 'pool', 'max_connections'];
  const cases: [string, string][] = [
    ['shceduler', '; did you mean "scheduler"?'],
    ['servers', '; did you mean "server"?'],
    ['Weigth', '; did you mean "weight"?'],
    ['max-connections', '; did you mean "max_connections"?'],
    ['prt', '; did you mean "port"?'],
    ['xyz', ''],
    ['rate', ''],
    ['port', ''],
  ];
  for (const [word, expected] of cases) t.equal(didYouMean(word, known), expected, word);
  t.end();
});

void t.test('glob() matches as a shell does', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ipvsd-glob-'));
  t.teardown(() => rm(folder, { recursive: true }));
  for (const name of ['b', 'a']) await mkdir(join(folder, name));
  for (const name of ['a/2.toml', 'a/1.toml', 'a/.3.toml', 'a/1.toml~', 'a/x+y.toml', 'b/1.toml'])
    await writeFile(join(folder, name), '');
  const cases: [string, string[]][] = [
    ['a/*.toml', ['a/1.toml', 'a/2.toml', 'a/x+y.toml']],
    ['a/?.toml', ['a/1.toml', 'a/2.toml']],
    ['*/1.toml', ['a/1.toml', 'b/1.toml']],
    ['a/[13-9].*', ['a/1.toml', 'a/1.toml~']],
    ['a/[!1].toml', ['a/2.toml']],
    ['a/.*.toml', ['a/.3.toml']],
    ['a/x+*.toml', ['a/x+y.toml']],
    ['none/*.toml', []],
  ];
  for (const [pattern, expected] of cases) {
    t.strictSame(
      await glob(join(folder, pattern)),
      expected.map((name) => join(folder, name)),
      pattern,
    );
  }
});

void t.test('TomlParser yields the same in its thread as at once', async (t) => {
  const parser = new TomlParser();
  t.teardown(() => parser.close());
  const filler = `# ${'x'.repeat(40_000)}\n`;
  const texts = [
    `${filler}[a.b]\nx = [1, 2.5, true, "s", inf]\n[[a.c]]\ny = 1979-05-27T07:32:00Z\n[a.__proto__]\nz = 1\n`,
    `${filler}x = 1\n__proto__ = { y = 1 }\n`,
    `${filler}x = \n`,
    '',
  ];
  const parsed = await parser.parse(texts);
  t.match(parsed[2], { line: 2, column: 5 });
  t.strictSame(parsed.map(shown), texts.map(parseToml).map(shown));
});

/** As text, so that `__proto__` is seen and prototypes are not. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (inner === Infinity ? 'inf' : inner));
}
