import { namesOf } from '../daemon/names.ts';
import { StateDirectory } from '../daemon/state-directory.ts';
import { renderPlan } from '../plan/render.ts';
import type { Command } from './command.ts';
import { load } from './load.ts';
import { kernelHelp, kernelOption, openKernel } from './open-kernel.ts';
import { propose } from './propose.ts';

/** `ipvsd apply`. */
export const command: Command = {
  options: { ...kernelOption },
  positionals: [],
  help: [
    'Every server counts as healthy. Refused while a daemon runs: ask that one to reload.',
    'Servers that left the file go to weight 0; run it again later to remove them.',
    '',
    kernelHelp,
    '  --json            what was done, for programs',
    'Exit code: 0 done, 1 configuration or kernel error, 3 partly applied.',
  ].join('\n'),
  run: async ({ config: path, json, values }) => {
    const loaded = await load(path);
    if (loaded === undefined) return 1;
    const { config } = loaded;
    const stateDirectory = await StateDirectory.open(config.daemon.stateDir);
    const kernel = await openKernel(values['kernel']);
    try {
      const { plan, owned } = await propose(config, kernel);
      await stateDirectory.remember(owned);
      const failures = plan.length === 0 ? [] : await kernel.apply(plan);
      const names = namesOf(config).services;
      if (json) console.log(JSON.stringify({ operations: plan.length, failures }, null, 2));
      else console.log(renderPlan(plan, { color: process.stdout.isTTY && !process.env['NO_COLOR'], names }));
      for (const { message } of failures) console.error(`ipvsd: ${message}`);
      return failures.length > 0 ? 3 : 0;
    } finally {
      kernel.close();
      await stateDirectory.close();
    }
  },
};
