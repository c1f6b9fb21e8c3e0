#!/usr/bin/env node
import { parseArgs } from 'node:util';
import type { Arguments, Command } from './command.ts';

/** Each sub-command: what it does in a line, and where it is. Loaded only when it is called. */
const commands: Readonly<Record<string, readonly [summary: string, load: () => Promise<{ command: Command }>]>> = {
  run: ['run the daemon in the foreground', () => import('./run.ts')],
  check: ['validate the configuration; needs neither root nor a kernel', () => import('./check.ts')],
  plan: ['show what would change in the kernel; changes nothing', () => import('./plan.ts')],
  apply: ['make the kernel match the file once, without checks', () => import('./apply.ts')],
  reload: ['ask the running daemon to reload, and wait for the outcome', () => import('./reload.ts')],
  status: ['show services, servers, health and connections', () => import('./status.ts')],
};

const common = {
  config: { type: 'string', short: 'c', default: '/etc/ipvsd/ipvsd.toml' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function usage(): string {
  const lines = Object.entries(commands).map(([name, [summary]]) => `  ${name.padEnd(8)}${summary}`);
  return `usage: ipvsd COMMAND [-c FILE] [--json]\n\n${lines.join('\n')}\n\n"ipvsd COMMAND --help" tells more. The default FILE is ${common.config.default}.`;
}

/** Runs one command line. @returns the exit code */
async function main([name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    console.log(usage());
    return 0;
  }
  if (name === '--version' || name === 'version') {
    console.log((await import('./version.ts')).version());
    return 0;
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) {
    const { didYouMean } = await import('../config/did-you-mean.ts');
    throw new Error(`no such command "${name}"${didYouMean(name, Object.keys(commands))} (see "ipvsd --help")`);
  }
  const { command } = await entry[1]();
  const args = parse(name, command, rest);
  if (args !== undefined) return command.run(args);
  console.log(`usage: ipvsd ${[name, ...command.positionals].join(' ')} [-c FILE]\n\n${entry[0]}\n\n${command.help}`);
  return 0;
}

/** The parsed arguments; undefined when help is asked for. @throws {Error} on an unknown or wrong option */
function parse(name: string, command: Command, args: readonly string[]): Arguments | undefined {
  const options = { ...command.options, ...common };
  const { values, positionals } = understood(name, () =>
    parseArgs({ args: [...args], options, allowPositionals: command.positionals.length > 0 }),
  );
  if (positionals.length > command.positionals.length) throw new Error(`too many arguments: ${positionals.join(' ')}`);
  if (values.help) return undefined;
  return { config: values.config, json: values.json, values: values, positionals };
}

/** Puts what parseArgs complains about into our words: its first clause, and where help is. */
function understood<Result>(name: string, parsing: () => Result): Result {
  try {
    return parsing();
  } catch (error) {
    const [clause = ''] = (error as Error).message.split('. ');
    const words = clause.charAt(0).toLowerCase() + clause.slice(1);
    throw new Error(`${words} (see "ipvsd ${name} --help")`, { cause: error });
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`ipvsd: ${(error as Error).message}`);
  process.exitCode = 1;
}
