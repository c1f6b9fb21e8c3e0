import { serviceNames } from '../daemon/names.ts';
import { StateDirectory } from '../daemon/state-directory.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Config } from '../model/config.ts';
import type { Failure, Operation } from '../model/operation.ts';
import { planToJson } from '../plan/plan-to-json.ts';
import { renderPlan } from '../plan/render.ts';
import type { Command } from './command.ts';
import { isColored } from './is-colored.ts';
import { load } from './load.ts';
import { kernelHelp, kernelOption, openKernel } from './open-kernel.ts';
import { propose } from './propose.ts';

/** `ipvsd apply`. */
export const command: Command = {
  options: { ...kernelOption },
  positionals: [],
  help: [
    'Every server counts as healthy. Refused while a daemon runs: ask that one to reload.',
    'Servers that left the file and still have connections stay at weight 0; run it again later to remove them.',
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
      const { done, failures } = await converge(config, kernel, stateDirectory);
      const names = serviceNames(config);
      if (json) console.log(JSON.stringify({ ...planToJson(done, names), failures }, null, 2));
      else console.log(renderPlan(done, { color: isColored(), names }));
      for (const { message } of failures) console.error(`ipvsd: ${message}`);
      return failures.length > 0 ? 3 : 0;
    } finally {
      kernel.close();
      await stateDirectory.close();
    }
  },
};

/** Two passes at most: those who leave get weight 0 first, and the idle among them are removed in the second. */
async function converge(
  config: Config,
  kernel: Kernel,
  stateDirectory: StateDirectory,
): Promise<{ done: readonly Operation[]; failures: readonly Failure[] }> {
  const done: Operation[] = [];
  for (let pass = 1; pass <= 2; pass++) {
    const { plan, owned } = await propose(config, kernel);
    await stateDirectory.remember(owned);
    if (plan.length === 0) break;
    const failures = await kernel.apply(plan);
    done.push(...plan);
    if (failures.length > 0) return { done, failures };
  }
  return { done, failures: [] };
}
