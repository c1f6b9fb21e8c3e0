import type { Config } from '../model/config.ts';
import { formatProblem } from '../model/problem.ts';
import type { Command } from './command.ts';
import { examine } from './examine.ts';

/** `ipvsd check`. */
export const command: Command = {
  options: {},
  positionals: [],
  help: 'Prints every problem as file:line:column: path: message, on standard error.\nExit code: 0 valid, 1 not.',
  run: async ({ config: path, json }) => {
    const { loaded, problems } = await examine(path);
    const config = loaded?.config;
    if (json) {
      console.log(JSON.stringify({ valid: config !== undefined, problems }, null, 2));
    } else {
      for (const problem of problems) console.error(formatProblem(problem));
      if (config !== undefined) console.log(`${path}: valid (${summary(config)})`);
    }
    return config === undefined ? 1 : 0;
  },
};

function summary({ services }: Config): string {
  const listeners = services.flatMap((service) => service.listeners);
  const servers = listeners.reduce((sum, listener) => sum + listener.servers.length, 0);
  return `services: ${services.length}, virtual services: ${listeners.length}, destinations: ${servers}`;
}
