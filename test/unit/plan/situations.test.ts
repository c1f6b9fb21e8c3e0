import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Config } from '../../../src/model/config.ts';
import type { Verdict } from '../../../src/model/health.ts';
import type { OwnedService } from '../../../src/model/ownership.ts';
import { virtualServiceKey } from '../../../src/model/virtual-service.ts';
import { desired } from '../../../src/plan/desired.ts';
import { diff } from '../../../src/plan/diff.ts';
import { renderPlan } from '../../../src/plan/render.ts';
import { type CompactConfig, type CompactTable, config, health, liveState } from '../../support/compact.ts';
import { root } from '../../support/root.ts';

/** fixtures/plan/SITUATION/{live, config, health?, owned?}.json → plan.txt; UPDATE_FIXTURES=1 writes the plans anew, to be read in review. */
const folder = join(root, 'fixtures/plan');

for (const situation of readdirSync(folder)) {
  t.test(`plan of ${situation}`, (t) => {
    const read = (file: string, absent?: string): unknown => JSON.parse(text(join(folder, situation, file), absent));
    const live = liveState(read('live.json') as CompactTable);
    const wish = config(read('config.json') as CompactConfig);
    const { state } = desired({
      config: wish,
      health: health(read('health.json', '{}') as Record<string, Verdict>),
      live,
      owned: new Map(Object.entries(read('owned.json', '{}') as Record<string, OwnedService>)),
      nowMs: 1_000_000_000,
    });
    const plan = `${renderPlan(diff(live, state), { names: names(wish) })}\n`;
    const expected = join(folder, situation, 'plan.txt');
    if (process.env['UPDATE_FIXTURES'] === '1') writeFileSync(expected, plan);
    t.equal(plan, text(expected));
    t.end();
  });
}

function text(file: string, absent?: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (absent === undefined) throw error;
    return absent;
  }
}

function names({ services }: Config): ReadonlyMap<string, string> {
  return new Map(
    services.flatMap(({ name, listeners }) =>
      listeners.map(({ service }): [string, string] => [virtualServiceKey(service.id), name]),
    ),
  );
}
