/** Something wrong, or worth a warning, in a configuration: where and what. */
export interface Problem {
  readonly file: string;
  /** From 1; 0 when the whole file is meant. */
  readonly line: number;
  /** From 1, in characters; 0 when the whole file is meant. */
  readonly column: number;
  /** Dotted path such as `service.www.listen[0]`; empty for the file or its syntax. */
  readonly path: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** `file:line:column: path: message`, one line. */
export function formatProblem(problem: Problem): string {
  const place = problem.line > 0 ? `${problem.file}:${problem.line}:${problem.column}` : problem.file;
  const severity = problem.severity === 'warning' ? 'warning: ' : '';
  return [place, ...(problem.path === '' ? [] : [problem.path]), severity + problem.message].join(': ');
}
