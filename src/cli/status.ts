import { ask } from '../control/control-client.ts';
import type { StatusReport } from '../control/status-report.ts';
import type { Command } from './command.ts';
import { isColored } from './is-colored.ts';
import { controlSocketHelp, controlSocketOf, controlSocketOption } from './control-socket.ts';
import { renderStatus } from './render-status.ts';

/** `ipvsd status`. */
export const command: Command = {
  options: { ...controlSocketOption, 'exit-code': { type: 'boolean', default: false } },
  positionals: ['[NAME]'],
  help: [
    'With NAME, only the service of that name.',
    '',
    '  --exit-code       0 when all is well, 4 when something is degraded',
    controlSocketHelp,
    '  --json            everything, for programs',
  ].join('\n'),
  run: async (args) => {
    const whole = (await ask(await controlSocketOf(args), 'GET', '/v1/status')) as StatusReport;
    const report = pick(whole, args.positionals[0]);
    if (args.json) console.log(JSON.stringify(report, null, 2));
    else console.log(renderStatus(report, { color: isColored(), nowMs: Date.now() }));
    return args.values['exit-code'] === true && report.degraded ? 4 : 0;
  },
};

/** @throws {Error} when there is no service of that name */
function pick(report: StatusReport, name: string | undefined): StatusReport {
  if (name === undefined) return report;
  const services = report.services.filter((service) => service.name === name);
  if (services.length === 0) throw new Error(`no service "${name}" (see "ipvsd status")`);
  return { ...report, services };
}
