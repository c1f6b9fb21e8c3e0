import type { LoadedConfig } from '../config/config-loader.ts';
import { formatProblem } from '../model/problem.ts';
import { examine } from './examine.ts';

/** A configuration for a command that needs it once. Problems are printed. @returns undefined when it is not valid */
export async function load(path: string): Promise<LoadedConfig | undefined> {
  const { loaded, problems } = await examine(path);
  for (const problem of problems) console.error(formatProblem(problem));
  return loaded;
}
