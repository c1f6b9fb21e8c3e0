/** `npm run bench [-- SIZE…]`: measures, and prints a table of medians and of goals (README.md). */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Figure } from './figure.ts';
import { type Goal, goals } from './goals.ts';
import { root } from './root.ts';
import type { Stages } from './stages.ts';
import { type Layout, writeConfiguration } from './table.ts';

const sizes = process.argv.length > 2 ? process.argv.slice(2) : ['1000x10', '10000x10'];
const limitProgram = join(import.meta.dirname, 'limit');
const figures: Figure[] = [];

for (const [program, name] of [
  ['/usr/bin/gcc', 'gcc'],
  ['/usr/bin/linux.uml', 'user-mode-linux'],
  ['/usr/sbin/keepalived', 'keepalived'],
  ['/usr/bin/strace', 'strace'],
] as const) {
  if (!existsSync(program)) throw new Error(`bench: install Debian's package ${name}`);
}
execFileSync('gcc', ['-O2', '-o', limitProgram, join(root, 'bench/limit.c')]);
for (const size of sizes) for (const layout of ['one-file', 'conf.d'] as const) await withoutKernel(size, layout);
for (const size of sizes) await withKernel(size);
show();

/** The stages that need no kernel, at the full speed of this machine. */
async function withoutKernel(name: string, layout: Layout): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'ipvsd-bench-'));
  const [services = 0, servers = 0] = name.split('x').map(Number);
  const variant = { layout, checked: false, weight: 1, onStop: 'keep', run: directory } as const;
  const file = await writeConfiguration(directory, { services, servers }, variant);
  for (let run = 0; run < 3; run++) {
    const program = join(import.meta.dirname, 'stages.js');
    const { stages } = JSON.parse(execFileSync('node', [program, file, 'memory'], { encoding: 'utf8' })) as Stages;
    for (const [stage, { seconds, blockMs }] of Object.entries(stages)) {
      if (!/load|decide/.test(stage)) continue;
      figures.push({ size: name, name: `native, ${layout}: ${stage}, s`, value: seconds });
      figures.push({ size: name, name: `native, ${layout}: ${stage}, longest block, ms`, value: blockMs });
    }
  }
  await rm(directory, { recursive: true });
}

/** Everything else: one boot for each size. */
async function withKernel(size: string): Promise<void> {
  const command = [process.execPath, join(import.meta.dirname, 'guest.js'), limitProgram, '3', size];
  const machine = spawn('setsid', ['sh', join(root, 'bench/boot.sh'), ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(machine.stdout)) {
    if (line.startsWith('{')) figures.push(JSON.parse(line) as Figure);
    else if (line.trim() !== '') console.error(line);
  }
}

function show(): void {
  const names = new Set(figures.map(({ name }) => name));
  console.log(row('', sizes));
  for (const name of names) {
    console.log(
      row(
        name,
        sizes.map((size) => round(median(size, name))),
      ),
    );
  }
  console.log(`\n${row('goal', sizes)}`);
  for (const goal of goals) {
    console.log(
      row(
        goal.what,
        sizes.map((size) => verdict(goal, size)),
      ),
    );
  }
}

function verdict({ name, of, most }: Goal, size: string): string {
  const value = median(size, name) / (of === undefined ? 1 : median(size, of));
  if (Number.isNaN(value)) return '-';
  return `${round(value)} ${value <= most ? 'reached' : `missed (${most})`}`;
}

function median(size: string, name: string): number {
  const values = figures.filter((figure) => figure.size === size && figure.name === name).map(({ value }) => value);
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function row(name: string, cells: readonly string[]): string {
  return [name.padEnd(66), ...cells.map((cell) => cell.padStart(20))].join(' ');
}

function round(value: number): string {
  return Number.isNaN(value) ? '-' : String(Number(value.toPrecision(3)));
}
