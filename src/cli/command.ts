import type { ParseArgsConfig } from 'node:util';

/** Options as `util.parseArgs` knows them. */
export type Options = NonNullable<ParseArgsConfig['options']>;

/** A sub-command's parsed arguments. */
export interface Arguments {
  /** `-c FILE`. */
  readonly config: string;
  /** `--json`. */
  readonly json: boolean;
  /** The options of the command itself. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

/** A sub-command: one file each. */
export interface Command {
  /** Its options beside the common ones (`-c`, `--json`, `--help`). */
  readonly options: Options;
  /** Names of the arguments that it takes, such as `[NAME]`. */
  readonly positionals: readonly string[];
  /** One line for each option and more help. */
  readonly help: string;
  /** @returns the exit code */
  run(args: Arguments): Promise<number>;
}
