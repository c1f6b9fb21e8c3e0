import { ask } from '../control/control-client.ts';
import type { ReloadOutcome } from '../daemon/reload-outcome.ts';
import { formatProblem } from '../model/problem.ts';
import type { Command } from './command.ts';
import { controlSocketHelp, controlSocketOf, controlSocketOption } from './control-socket.ts';

const exitCodes: Readonly<Record<ReloadOutcome['result'], number>> = { applied: 0, rejected: 1, partial: 3 };

/** `ipvsd reload`. */
export const command: Command = {
  options: { ...controlSocketOption },
  positionals: [],
  help: `${controlSocketHelp}\nExit code: 0 applied, 1 rejected (the old configuration goes on), 3 partly applied.`,
  run: async (args) => {
    const outcome = (await ask(await controlSocketOf(args), 'POST', '/v1/reload')) as ReloadOutcome;
    if (args.json) console.log(JSON.stringify(outcome, null, 2));
    for (const problem of outcome.problems) console.error(formatProblem(problem));
    for (const failure of outcome.failures) console.error(`ipvsd: ${failure}`);
    if (!args.json) console.log(sentence(outcome));
    return exitCodes[outcome.result];
  },
};

function sentence({ result, changes, waiting, problems, failures, durationMs }: ReloadOutcome): string {
  const took = `in ${Math.round(durationMs)} ms`;
  if (result === 'rejected') {
    return `rejected: problems: ${problems.length}; the configuration that was running goes on unchanged`;
  }
  if (result === 'partial')
    return `partly applied ${took}: changes: ${changes}, refused: ${failures.length}; will be tried again`;
  const next = waiting === 0 ? '' : `; servers that enter after their first passed probe: ${waiting}`;
  return `applied ${took}: ${changes === 0 ? 'nothing to change' : `changes: ${changes}`}${next}`;
}
