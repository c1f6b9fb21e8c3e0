import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { SourceReader } from '../../../src/config/source-reader.ts';

/** A file that nobody has changed for a while. */
const old = '/etc/passwd';

t.test('SourceReader does not read again what has long been as it is', async (t) => {
  const reader = new SourceReader();
  const first = await reader.read(old);
  t.ok('value' in first);
  t.equal(((await reader.read(old)) as { value: unknown }).value, (first as { value: unknown }).value);
});

t.test('SourceReader reads again what has just been changed, though its size is the same', async (t) => {
  const file = join(t.testdir(), 'a.toml');
  const reader = new SourceReader();
  for (const text of ['x = 1\n', 'x = 2\n', 'x = 3\n']) {
    writeFileSync(file, text);
    t.match(await reader.read(file), { value: { text } });
  }
});

t.test('SourceReader says in words why a file cannot be read', async (t) => {
  const reader = new SourceReader();
  t.same(await reader.read('/etc'), { problem: 'cannot be read: it is a directory' });
  t.same(await reader.read('/dev/zero'), { problem: 'cannot be read: it is not a regular file' });
  t.same(await reader.read('/etc/no-such-file'), { problem: 'cannot be read: no such file' });
});
