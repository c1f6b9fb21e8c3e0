import { type Problem, formatProblem } from '../model/problem.ts';

/** A configuration that was rejected, with everything that is wrong with it. Its message is one problem a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}
