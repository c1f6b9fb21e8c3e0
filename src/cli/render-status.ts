import { styleText } from 'node:util';
import type { ListenerStatus, ServerStatus, StatusReport } from '../control/status-report.ts';
import { formatProblem } from '../model/problem.ts';

/** How `ipvsd status` is shown. */
export interface StatusStyle {
  readonly color: boolean;
  readonly nowMs: number;
}

type Color = Parameters<typeof styleText>[0];

const verdictColors: Readonly<Record<ServerStatus['verdict'], Color>> = {
  up: 'green',
  unchecked: 'green',
  down: 'red',
  unknown: 'yellow',
  draining: 'yellow',
  disabled: 'gray',
};

const headings = ['SERVER', 'HEALTH', 'WEIGHT', 'ACTIVE', 'INACTIVE', 'SINCE', 'REASON'];

/** The report as text for people, without a final newline. */
export function renderStatus(report: StatusReport, style: StatusStyle): string {
  return [...header(report, style), ...serviceLines(report, style), ...footer(report, style)].join('\n');
}

function header({ kernel, config, reload, degraded }: StatusReport, style: StatusStyle): string[] {
  const memory = kernel.kind === 'memory' ? paint(' - IN-MEMORY KERNEL, NO TRAFFIC IS BALANCED', 'yellow', style) : '';
  const well = degraded ? paint('degraded', 'red', style) : paint('all is well', 'green', style);
  const lines = [`ipvsd: ${well} (kernel ${kernel.release}, configuration ${config.hash.slice(0, 12)})${memory}`];
  if (reload !== null) {
    const text = `last reload: ${reload.result} ${age(reload.atMs, style)} ago`;
    lines.push(reload.result === 'applied' ? text : paint(text, 'red', style));
    if (reload.result === 'rejected') {
      lines.push(...[...reload.problems.map(formatProblem), ...reload.failures].map((line) => `  ${line}`));
    }
  }
  return lines;
}

function serviceLines({ services }: StatusReport, style: StatusStyle): string[] {
  return services.flatMap(({ name, enabled, listeners }) =>
    listeners.flatMap((listener) => [
      '',
      `${paint(name, 'bold', style)}  ${listener.key}  ${listener.scheduler}${state(enabled, listener)}`,
      ...table([headings, ...listener.servers.map((server) => row(server, style))], style, listener.servers),
    ]),
  );
}

function state(enabled: boolean, { isPresent }: ListenerStatus): string {
  if (!enabled) return '  (disabled in the file)';
  return isPresent ? '' : '  (not in the kernel)';
}

function row(server: ServerStatus, style: StatusStyle): string[] {
  const { name, verdict, reason, weight, configuredWeight, connections, sinceMs } = server;
  const shown = weight === null ? '-' : String(weight);
  return [
    name,
    verdict,
    weight === configuredWeight ? shown : `${shown}/${configuredWeight}`,
    String(connections.active),
    String(connections.inactive),
    sinceMs === undefined ? '-' : age(sinceMs, style),
    reason,
  ];
}

/** Columns aligned by spaces; the health column is coloured. */
function table(rows: readonly string[][], style: StatusStyle, servers: readonly ServerStatus[]): string[] {
  const widths = headings.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows.map((cells, line) => {
    const verdict = servers[line - 1]?.verdict;
    const padded = cells.map((cell, column) => {
      const text = cell.padEnd(widths[column] ?? 0);
      return column === 1 && verdict !== undefined ? paint(text, verdictColors[verdict], style) : text;
    });
    return `  ${padded.join('  ')}`.trimEnd();
  });
}

function footer({ foreign, drift, round }: StatusReport, style: StatusStyle): string[] {
  return [
    ...section('troubles:', round.troubles, 'red', style),
    ...section('drift (will be repaired):', drift, 'yellow', style),
    ...section('in the kernel, but not ours:', foreign, 'gray', style),
  ];
}

function section(title: string, lines: readonly string[], color: Color, style: StatusStyle): string[] {
  return lines.length === 0 ? [] : ['', paint(title, color, style), ...lines.map((line) => `  ${line}`)];
}

/** Time passed, in the largest unit that says enough: `4s`, `12m`, `3h`, `2d`. */
function age(sinceMs: number, { nowMs }: StatusStyle): string {
  const seconds = Math.max(0, Math.round((nowMs - sinceMs) / 1000));
  if (seconds < 100) return `${seconds}s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)}h` : `${Math.round(seconds / 86_400)}d`;
}

function paint(text: string, color: Color, { color: enabled }: StatusStyle): string {
  return enabled ? styleText(color, text, { validateStream: false }) : text;
}
