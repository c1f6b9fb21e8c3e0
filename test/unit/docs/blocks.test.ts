import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { z } from 'zod';
import { checkShape } from '../../../src/config/check-schema.ts';
import { ConfigLoader } from '../../../src/config/config-loader.ts';
import { fileSchema } from '../../../src/config/file-schema.ts';
import { checkTypes } from '../../../src/health/check-types.ts';
import { root } from '../../support/root.ts';

const program = resolve(import.meta.dirname, '../../../src/cli/main.js');
const directory = mkdtempSync(join(tmpdir(), 'ipvsd-docs-'));
t.teardown(() => {
  rmSync(directory, { recursive: true });
});

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
// design.md is the contract of what is to come; it shows commands and keys that are not there yet.
const operators = pages.filter((page) => page !== 'docs/design.md');
const fence = /^```(.*)\n([^]*?)^```$/gm;
const blocks = operators.flatMap((page) =>
  [...read(page).matchAll(fence)].map(([, language = '', text = '']) => ({ page, language, text })),
);
const linesOf = (wanted: string): string[] =>
  blocks.filter(({ language }) => language === wanted).flatMap(({ text }) => text.split('\n'));

function ipvsd(...args: string[]): { readonly code: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { code: status, out: stdout, err: stderr };
}

t.test('every block is of a kind that is tested, or a picture', (t) => {
  const kinds = new Set(blocks.map(({ language }) => language));
  t.match([...kinds].sort(), ['console', 'sh', 'text', 'toml']);
  t.equal(kinds.size, 4);
  t.end();
});

t.test('every configuration that is shown is valid, without a warning', async (t) => {
  for (const [index, { page, text }] of blocks.filter(({ language }) => language === 'toml').entries()) {
    const file = join(directory, `${index}.toml`);
    writeFileSync(file, text);
    const loader = new ConfigLoader(file, checkTypes);
    const { warnings } = await loader.load();
    await loader.close();
    t.same(warnings, [], page);
  }
});

t.test('every ipvsd command that is mentioned is one, with these options', (t) => {
  const texts = operators.map(read).join('\n');
  const inline = [...texts.matchAll(/`(?:\$ )?ipvsd ([a-z][^`\n]*)`/g)].map(([, args = '']) => args);
  const shown = [...linesOf('sh'), ...linesOf('console')].flatMap(
    (line) => /^(?:\$ )?ipvsd (.+)/.exec(line)?.[1] ?? [],
  );
  const promised = new Set([...inline, ...shown]);
  t.ok(promised.size > 5, 'there are some');
  for (const args of promised) {
    const { code, err } = ipvsd(...args.split(' '), '--help');
    t.equal(code, 0, `ipvsd ${args}: ${err}`);
  }
  t.end();
});

t.test('npm scripts, files and links that are mentioned exist', (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const line of linesOf('sh')) {
    const script = /^npm (?:run (\w+)|(test))/.exec(line);
    if (script) t.hasProp(scripts, script[1] ?? script[2] ?? '', line);
    const copied = /^install -m \d+ (\S+)/.exec(line)?.[1];
    if (copied !== undefined) t.ok(existsSync(join(root, copied)), line);
  }
  for (const page of operators) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)#:]+)\)/g)) {
      t.ok(existsSync(join(root, page, '..', target)), `${page}: ${target}`);
    }
  }
  t.end();
});

/** The README's configuration, with a daemon's directories of its own. */
function exampleFile(edit: (text: string) => string): string {
  const text = blocks.find(({ page, language }) => page === 'README.md' && language === 'toml')?.text ?? '';
  const file = join(directory, 'example.toml');
  const daemon = `[daemon]\ncontrol_socket = "${directory}/control.sock"\nstate_dir = "${directory}/state"\n`;
  writeFileSync(file, `${edit(text)}${daemon}`);
  return file;
}

/** What the README shows after `$ ipvsd COMMAND`. */
function shownOf(command: string): string {
  const text = linesOf('console').join('\n');
  return (
    text
      .split('$ ')
      .find((part) => part.startsWith(`ipvsd ${command}\n`))
      ?.slice(`ipvsd ${command}\n`.length)
      .trimEnd() ?? ''
  );
}

t.test('check and plan print what the README shows', (t) => {
  const file = exampleFile((text) => text);
  t.equal(ipvsd('check', '-c', file).out.trimEnd().replace(file, '/etc/ipvsd/ipvsd.toml'), shownOf('check'));
  t.equal(ipvsd('plan', '--kernel', 'memory', '-c', file).out.trimEnd(), shownOf('plan'));
  t.end();
});

t.test('status prints what the README shows, of real servers on loopback', async (t) => {
  const server = createServer((_request, response) => response.end('fine'));
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  t.teardown(() => server.close());
  const port = String((server.address() as AddressInfo).port);
  const file = exampleFile((text) =>
    text.replaceAll('10.0.0.1', '127.0.0.1').replace('fd00::11', '::1').replaceAll('8080', port),
  );
  const daemon = spawn(process.execPath, [program, 'run', '--kernel', 'memory', '-c', file], { stdio: 'ignore' });
  const ended = new Promise((resolve) => daemon.once('exit', resolve));
  let status = ipvsd('status', '--exit-code', '-c', file);
  for (let attempt = 0; status.code !== 0 && attempt < 50; attempt += 1) {
    await sleep(100);
    status = ipvsd('status', '--exit-code', '-c', file);
  }
  daemon.kill();
  t.equal(await ended, 0, 'SIGTERM ends the daemon with exit code 0');
  const real = status.out
    .replaceAll(/127\.0\.0\.1(?=\d)/g, '10.0.0.1')
    .replaceAll('[::1]', '[fd00::11]')
    .replaceAll(port, '8080')
    .replace(' - IN-MEMORY KERNEL, NO TRAFFIC IS BALANCED', '');
  t.equal(masked(real), masked(shownOf('status')));
});

/** Without what differs from run to run: the kernel, the hash, ages, and the width of columns. */
function masked(text: string): string {
  return text
    .replace(/kernel \S+, configuration [0-9a-f]+/, 'kernel, configuration')
    .replaceAll(/ \d+s /g, ' AGE ')
    .replaceAll(/ +/g, ' ')
    .trimEnd();
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
}

t.test('configuration.md names every key of the schema, and no others', (t) => {
  const json = z.toJSONSchema(fileSchema(checkTypes), { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const { properties = {} } = json as Schema;
  const named = (table: string): Schema => properties[table]?.additionalProperties ?? {};
  const keysOf = (schema: Schema | undefined): string[] => Object.keys(schema?.properties ?? {});
  const common = ['type', ...Object.keys(checkShape)];
  const optionsOf = (...types: string[]): string[] => {
    const branches = named('check').oneOf?.filter((branch) =>
      types.includes(String(branch.properties?.['type']?.const)),
    );
    const keys = new Set(branches?.flatMap(keysOf));
    return [...keys].filter((key) => !common.includes(key));
  };
  const service = named('service').properties;
  const wanted: Readonly<Record<string, readonly string[]>> = {
    'The top': ['include'],
    '[daemon]': keysOf(properties['daemon']),
    '[timeouts]': keysOf(properties['timeouts']),
    '[service.NAME]': keysOf(named('service')),
    persistence: keysOf(service?.['persistence']),
    tunnel: keysOf(service?.['tunnel']),
    '[pool.NAME]': keysOf(named('pool')),
    Servers: keysOf(service?.['server']?.items),
    '[check.NAME]': common,
    tcp: optionsOf('tcp'),
    'http and https': optionsOf('http', 'https'),
    exec: optionsOf('exec'),
  };
  const [, ...sections] = read('docs/configuration.md').split(/^##+ /m);
  const found = Object.fromEntries(
    sections.map((section) => [
      section.slice(0, section.indexOf('\n')),
      [...section.matchAll(/^\| `(\w+)` +\|/gm)].map(([, key]) => key),
    ]),
  );
  for (const [title, keys] of Object.entries(wanted)) t.same(found[title]?.toSorted(), keys.toSorted(), title);
  t.ok(wanted['exec']?.includes('command') && wanted['Servers']?.includes('address'), 'the schema was read');
  t.same(Object.keys(properties).sort(), ['check', 'daemon', 'defaults', 'include', 'pool', 'service', 'timeouts']);
  t.end();
});
