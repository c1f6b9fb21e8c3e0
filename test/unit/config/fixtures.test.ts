import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ConfigError } from '../../../src/config/config-error.ts';
import { ConfigLoader } from '../../../src/config/config-loader.ts';
import type { Config } from '../../../src/model/config.ts';
import { formatProblem } from '../../../src/model/problem.ts';
import { fakeCheckTypes } from '../../support/check-types.ts';
import { root } from '../../support/root.ts';

interface Outcome {
  readonly config?: Config;
  readonly problems: string;
}

/** The main file of each case: NAME.toml, or NAME/main.toml. */
async function cases(folder: string): Promise<{ name: string; file: string }[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (entry.isDirectory()) return [{ name: entry.name, file: join(folder, entry.name, 'main.toml') }];
    return entry.name.endsWith('.toml') ? [{ name: entry.name.slice(0, -5), file: join(folder, entry.name) }] : [];
  });
}

async function load(file: string, folder: string): Promise<Outcome> {
  const loader = new ConfigLoader(file, fakeCheckTypes);
  const lines = (problems: ConfigError['problems']): string =>
    problems.map((problem) => `${formatProblem(problem).replaceAll(`${folder}/`, '')}\n`).join('');
  try {
    const { config, warnings } = await loader.load();
    return { config, problems: lines(warnings) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: lines(error.problems) };
  } finally {
    await loader.close();
  }
}

void t.test('ConfigLoader rejects each bad configuration with exactly its problems', async (t) => {
  const folder = join(root, 'fixtures/config/bad');
  const all = await cases(folder);
  t.ok(all.length >= 60, `${all.length} bad configurations`);
  for (const { name, file } of all) {
    const { config, problems } = await load(file, folder);
    t.equal(config, undefined, `${name} is rejected`);
    t.equal(problems, await readFile(join(folder, `${name}.txt`), 'utf8'), name);
  }
});

void t.test('ConfigLoader makes of each good configuration exactly what is expected, warnings included', async (t) => {
  const folder = join(root, 'fixtures/config/good');
  const all = await cases(folder);
  t.ok(all.length > 0);
  for (const { name, file } of all) {
    const { config, problems } = await load(file, folder);
    const expected = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as unknown;
    t.strictSame(
      JSON.parse(JSON.stringify({ warnings: problems.split('\n').slice(0, -1), ...config })),
      expected,
      name,
    );
  }
});
