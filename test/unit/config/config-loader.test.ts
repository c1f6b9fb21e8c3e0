import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ConfigError } from '../../../src/config/config-error.ts';
import { ConfigLoader } from '../../../src/config/config-loader.ts';
import { fakeCheckTypes } from '../../support/check-types.ts';

/** A folder for a test, and a loader of its ipvsd.toml. */
async function setUp(t: Test, files: Readonly<Record<string, string>>): Promise<[string, ConfigLoader]> {
  const folder = await mkdtemp(join(tmpdir(), 'ipvsd-config-'));
  await mkdir(join(folder, 'conf.d'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const loader = new ConfigLoader(join(folder, 'ipvsd.toml'), fakeCheckTypes);
  t.teardown(async () => {
    await loader.close();
    await rm(folder, { recursive: true });
  });
  return [folder, loader];
}

function service(i: number, weight = 1): string {
  const block = `[service.s${i}]\nlisten = ["10.${i >> 8}.${i & 255}.1:80"]\ncheck = "tcp"\npool = "web"\n\n`;
  const own = `[service.o${i}]\nlisten = ["10.${i >> 8}.${i & 255}.2:80"]\n[[service.o${i}.server]]\naddress = "10.1.0.1"\nweight = ${weight}\n\n`;
  return block + own;
}

const head = '[check.tcp]\ntype = "tcp"\n\n[pool.web]\nservers = [{ address = "10.1.0.1-3" }]\n\n';

/** A configuration of many services, large enough to be split and parsed in a thread. */
function large(weight = 1, top = head): string {
  return top + Array.from({ length: 350 }, (_, i) => service(i, i === 200 ? weight : 1)).join('');
}

void t.test('load() gives the same services when nothing has changed', async (t) => {
  const [, loader] = await setUp(t, { 'ipvsd.toml': large() });
  const first = await loader.load();
  const second = await loader.load();
  t.equal(second.hash, first.hash);
  t.equal(first.config.services.length, 700);
  t.ok(second.config.services.every((one, i) => one === first.config.services[i]));
});

void t.test('load() makes new objects only of the services that have changed', async (t) => {
  const [folder, loader] = await setUp(t, { 'ipvsd.toml': large() });
  const first = await loader.load();
  await writeFile(join(folder, 'ipvsd.toml'), large(7));
  const second = await loader.load();
  const changed = second.config.services.filter((one, i) => one !== first.config.services[i]);
  t.not(second.hash, first.hash);
  t.strictSame(
    changed.map(({ name, listeners }) => [name, listeners[0]?.servers[0]?.destination.weight]),
    [['o200', 7]],
  );
});

void t.test('load() makes new objects of the services whose pool or check has changed', async (t) => {
  const [folder, loader] = await setUp(t, { 'ipvsd.toml': large() });
  const first = await loader.load();
  await writeFile(join(folder, 'ipvsd.toml'), large(1, head.replace('type = "tcp"', 'type = "tcp"\nrise = 5')));
  const second = await loader.load();
  const changed = second.config.services.filter((one, i) => one !== first.config.services[i]);
  t.equal(changed.length, 350);
  t.ok(
    changed.every(({ name, listeners }) => name.startsWith('s') && listeners[0]?.servers[0]?.probe?.check.rise === 5),
  );
});

void t.test('load() gives new defaults to everything', async (t) => {
  const [folder, loader] = await setUp(t, { 'ipvsd.toml': large() });
  await loader.load();
  await writeFile(join(folder, 'ipvsd.toml'), `${large()}\n[defaults]\nmode = "dr"\ninterval = "9s"\n`);
  const { config } = await loader.load();
  const servers = config.services.flatMap(({ listeners }) => listeners.flatMap((listener) => listener.servers));
  t.ok(servers.every(({ destination }) => destination.method === 'dr'));
  t.ok(servers.every(({ probe }) => probe === undefined || probe.check.intervalMs === 9000));
});

void t.test('load() shows the line of a problem in a large file', async (t) => {
  const [folder, loader] = await setUp(t, { 'ipvsd.toml': large() });
  await loader.load();
  const lines = large(-7).split('\n');
  await writeFile(join(folder, 'ipvsd.toml'), lines.join('\n'));
  const error: unknown = await loader.load().catch((reason: unknown) => reason);
  if (!(error instanceof ConfigError)) throw error;
  t.strictSame(
    error.problems.map(({ line, column, path }) => ({ line, column, path })),
    [{ line: lines.indexOf('weight = -7') + 1, column: 10, path: 'service.o200.server[0].weight' }],
  );
});

void t.test('load() follows included files as they come and go', async (t) => {
  const [folder, loader] = await setUp(t, { 'ipvsd.toml': `include = ["conf.d/*.toml"]\n${head}` });
  const names = async (): Promise<string[]> => (await loader.load()).config.services.map(({ name }) => name);
  t.strictSame(await names(), []);
  await writeFile(join(folder, 'conf.d/a.toml'), service(1));
  t.strictSame(await names(), ['s1', 'o1']);
  await cp(join(folder, 'conf.d/a.toml'), join(folder, 'conf.d/b.toml'));
  await t.rejects(names(), { message: /b\.toml:1:1: service\.s1: is defined twice \(first at .*a\.toml:1:1\)/ });
  await rm(join(folder, 'conf.d/b.toml'));
  t.strictSame(await names(), ['s1', 'o1']);
  t.strictSame((await loader.load()).files, [
    join(folder, 'ipvsd.toml'),
    join(folder, 'conf.d/a.toml'),
    join(folder, 'conf.d'),
  ]);
});

void t.test('load() rejects a file that is not there', async (t) => {
  const [folder, loader] = await setUp(t, {});
  await t.rejects(loader.load(), { message: `${folder}/ipvsd.toml: cannot be read: no such file` });
});
