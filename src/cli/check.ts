import { ConfigError } from '../config/config-error.ts';
import { ConfigLoader } from '../config/config-loader.ts';
import { checkTypes } from '../health/check-types.ts';
import type { Config } from '../model/config.ts';
import { type Problem, formatProblem } from '../model/problem.ts';
import type { Command } from './command.ts';

/** `ipvsd check`. */
export const command: Command = {
  options: {},
  positionals: [],
  help: 'Prints every problem as file:line:column: path: message, on standard error.\nExit code: 0 valid, 1 not.',
  run: async ({ config: path, json }) => {
    const { config, problems } = await examine(path);
    if (json) {
      console.log(JSON.stringify({ valid: config !== undefined, problems }, null, 2));
    } else {
      for (const problem of problems) console.error(formatProblem(problem));
      if (config !== undefined) console.log(`${path}: valid (${summary(config)})`);
    }
    return config === undefined ? 1 : 0;
  },
};

async function examine(path: string): Promise<{ config?: Config; problems: readonly Problem[] }> {
  const loader = new ConfigLoader(path, checkTypes);
  try {
    const { config, warnings } = await loader.load();
    return { config, problems: warnings };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  } finally {
    await loader.close();
  }
}

function summary({ services }: Config): string {
  const listeners = services.flatMap((service) => service.listeners);
  const servers = listeners.reduce((sum, listener) => sum + listener.servers.length, 0);
  return `services: ${services.length}, virtual services: ${listeners.length}, destinations: ${servers}`;
}
