import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'toml';
import { z } from 'zod';
import { ConfigLoader } from '../../../src/config/config-loader.ts';
import { fileSchema, tableSchemas } from '../../../src/config/file-schema.ts';
import { checkTypes } from '../../../src/health/check-types.ts';
import type { Config } from '../../../src/model/config.ts';
import { root } from '../../support/root.ts';

const reference = join(root, 'etc/ipvsd.toml');
const text = await readFile(reference, 'utf8');
const uncommented = text.replaceAll(/^#(?=[\w[])/gm, '');

async function load(content: string): Promise<Config> {
  const folder = await mkdtemp(join(tmpdir(), 'ipvsd-reference-'));
  const file = join(folder, 'ipvsd.toml');
  await writeFile(file, content);
  const loader = new ConfigLoader(file, checkTypes);
  try {
    return (await loader.load()).config;
  } finally {
    await loader.close();
    await rm(folder, { recursive: true });
  }
}

void t.test('etc/ipvsd.toml changes nothing as it stands', async (t) => {
  t.strictSame(await load(text), await load(''));
});

void t.test('etc/ipvsd.toml shows the real defaults: uncommented, it means the same', async (t) => {
  const shown = await load(uncommented);
  const meant = await load(
    '[timeouts]\n[service.www]\nlisten = ["192.0.2.10:80"]\n[[service.www.server]]\naddress = "10.0.0.11"\n',
  );
  t.strictSame(shown, meant);
});

void t.test('etc/ipvsd.toml shows the real defaults of each type of check', (t) => {
  const { check } = tableSchemas(checkTypes);
  const blocks = Object.values((parse(uncommented) as { check: Record<string, { type: string }> }).check);
  t.strictSame(blocks.map(({ type }) => type).sort(), [...checkTypes.keys()].sort(), 'every type has a block');
  for (const block of blocks) {
    const required = 'command' in block ? { command: block.command } : {};
    t.strictSame(check.parse(block), check.parse({ type: block.type, ...required }), block.type);
  }
  t.end();
});

void t.test('etc/ipvsd.toml shows every key', (t) => {
  for (const key of keysOf(z.toJSONSchema(fileSchema(checkTypes), { io: 'input' }))) {
    t.match(text, new RegExp(String.raw`^# ?(\[+\w*\.?\w*\.?)?${key}(\]+| =)`, 'm'), key);
  }
  t.end();
});

/** The names of all keys in a JSON Schema. */
function keysOf(schema: unknown): Set<string> {
  if (typeof schema !== 'object' || schema === null) return new Set();
  const properties = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  const named = ['check', 'pool', 'service'];
  const own = properties.filter((key) => !named.includes(key));
  return new Set([...own, ...Object.values(schema).flatMap((inner) => [...keysOf(inner)])]);
}
