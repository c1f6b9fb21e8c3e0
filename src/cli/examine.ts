import { ConfigError } from '../config/config-error.ts';
import { ConfigLoader, type LoadedConfig } from '../config/config-loader.ts';
import { checkTypes } from '../health/check-types.ts';
import type { Problem } from '../model/problem.ts';

/** Loads a configuration once. @returns it with its warnings, or only the problems of one that is not valid */
export async function examine(path: string): Promise<{ loaded?: LoadedConfig; problems: readonly Problem[] }> {
  const loader = new ConfigLoader(path, checkTypes);
  try {
    const loaded = await loader.load();
    return { loaded, problems: loaded.warnings };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  } finally {
    await loader.close();
  }
}
