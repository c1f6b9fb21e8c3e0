/** A figure, or its ratio to another, and the most that it should be. */
export interface Goal {
  readonly what: string;
  readonly name: string;
  readonly of?: string;
  readonly most: number;
}

/** What is to be reached. */
export const goals: readonly Goal[] = [
  ratio('cold apply / limit', 'ipvsd: apply, s', 'limit: apply, s', 2),
  { what: 'netlink calls a row', name: 'ipvsd: apply, netlink calls a row', most: 0.02 },
  { what: 'all system calls a row while applying', name: 'ipvsd: apply, all system calls a row', most: 0.02 },
  ratio('read back / limit', 'ipvsd: read back, s', 'limit: read back, s', 2),
  ...(['one-file', 'conf.d'] as const).flatMap((layout) => [
    ...['reload, nothing changed, s', 'reload, one weight, s'].map((what) =>
      ratio(`${what} / keepalived, ${layout}`, `ipvsd, ${layout}: ${what}`, `keepalived: ${what}`, 1),
    ),
    { what: `RSS after reloads, MB, ${layout}`, name: `ipvsd, ${layout}: after reloads, RSS, MB`, most: 250 },
    { what: `SIGTERM to exit, s, ${layout}`, name: `ipvsd, ${layout}: SIGTERM to exit, s`, most: 1 },
    { what: `left behind, rows, ${layout}`, name: `ipvsd, ${layout}: left behind, rows`, most: 0 },
    {
      what: `longest block, load, ms, native, ${layout}`,
      name: `native, ${layout}: load, longest block, ms`,
      most: 20,
    },
    { what: `longest block, apply, ms`, name: 'ipvsd: apply, longest block, ms', most: 20 },
  ]),
  ...['reload, nothing changed, s', 'reload, one weight, s'].map((what) =>
    ratio(
      `${what}, with checks / keepalived`,
      `ipvsd with checks, one-file: ${what}`,
      `keepalived with checks: ${what}`,
      0.2,
    ),
  ),
];

function ratio(what: string, name: string, of: string, most: number): Goal {
  return { what, name, of, most };
}
