import { ConfigLoader, type LoadedConfig } from '../config/config-loader.ts';
import { ConfigError } from '../config/config-error.ts';
import { checkTypes } from '../health/check-types.ts';
import { formatProblem } from '../model/problem.ts';

/** A configuration for a command that needs it once. Problems are printed. @returns undefined when it is not valid */
export async function load(path: string): Promise<LoadedConfig | undefined> {
  const loader = new ConfigLoader(path, checkTypes);
  try {
    const loaded = await loader.load();
    for (const warning of loaded.warnings) console.error(formatProblem(warning));
    return loaded;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) console.error(formatProblem(problem));
    return undefined;
  } finally {
    await loader.close();
  }
}
