import { serviceNames } from '../daemon/names.ts';
import { planToJson } from '../plan/plan-to-json.ts';
import { renderPlan } from '../plan/render.ts';
import type { Command } from './command.ts';
import { isColored } from './is-colored.ts';
import { load } from './load.ts';
import { kernelHelp, kernelOption, openKernel } from './open-kernel.ts';
import { propose } from './propose.ts';

/** `ipvsd plan`. */
export const command: Command = {
  options: { ...kernelOption, 'exit-code': { type: 'boolean', default: false } },
  positionals: [],
  help: [
    '  + add   ~ change   ↓ drain   - remove',
    '',
    '  --exit-code       0 when nothing would change, 2 when something would, 1 on an error',
    kernelHelp,
    '  --json            the operations, for programs',
  ].join('\n'),
  run: async ({ config: path, json, values }) => {
    const loaded = await load(path);
    if (loaded === undefined) return 1;
    const kernel = await openKernel(values['kernel']);
    try {
      const { plan } = await propose(loaded.config, kernel);
      const names = serviceNames(loaded.config);
      if (json) console.log(JSON.stringify(planToJson(plan, names), null, 2));
      else process.stdout.write(`${renderPlan(plan, { color: isColored(), names })}\n`);
      return values['exit-code'] === true && plan.length > 0 ? 2 : 0;
    } finally {
      kernel.close();
    }
  },
};
