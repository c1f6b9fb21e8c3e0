import { setFlagsFromString } from 'node:v8';
import { controlServer } from '../control/control-server.ts';
import { httpServer } from '../control/http-server.ts';
import { ConfigLoader } from '../config/config-loader.ts';
import { ConfigError } from '../config/config-error.ts';
import { Daemon } from '../daemon/daemon.ts';
import { logFormat, openLog } from '../daemon/log.ts';
import { serve } from '../daemon/serve.ts';
import { StateDirectory } from '../daemon/state-directory.ts';
import { serviceManager } from '../daemon/systemd.ts';
import { checkTypes } from '../health/check-types.ts';
import { formatProblem } from '../model/problem.ts';
import type { Command } from './command.ts';
import { kernelHelp, kernelOption, openKernel } from './open-kernel.ts';

/** `ipvsd run`. */
export const command: Command = {
  options: { ...kernelOption },
  positionals: [],
  help: [
    'Logs to standard error. SIGHUP reloads; SIGTERM and SIGINT stop (see on_stop).',
    '',
    kernelHelp,
    'Exit code: 0 after SIGTERM, 1 when it could not start.',
  ].join('\n'),
  run: async ({ config: path, values }) => {
    // Before anything that takes time: unheard, the signal would end the process.
    let isReloadWanted = false;
    process.on('SIGHUP', () => {
      isReloadWanted = true;
    });
    // The whole table is read in each round and dropped: V8 would let that garbage grow to more than the rest together.
    setFlagsFromString('--heap-growing-percent=50');
    const loader = new ConfigLoader(path, checkTypes);
    try {
      const loaded = await loader.load();
      const { daemon: settings } = loaded.config;
      const logging = openLog(settings.logLevel, logFormat(process.env, process.stderr.isTTY));
      const stateDirectory = await StateDirectory.open(settings.stateDir);
      const kernel = await openKernel(values['kernel']);
      const manager = serviceManager(process.env, process.pid);
      const daemon = new Daemon({ loader, loaded, kernel, stateDirectory, checkTypes, manager, log: logging.log });
      const control = await controlServer(settings.controlSocket, daemon);
      if (settings.http !== undefined) await httpServer(settings.http, daemon);
      await serve(daemon, { manager, log: logging.log, signals: process, isReloadWanted });
      control.close();
      await logging.close();
      // Whatever is still under way may not keep the process: the kernel's table is sound at every moment.
      process.exit(0);
    } catch (error) {
      const isConfigError = error instanceof ConfigError;
      const lines = isConfigError ? error.problems.map(formatProblem) : [`ipvsd: ${(error as Error).message}`];
      for (const line of lines) console.error(line);
      // Neither may what a failed start has begun: its loop, its probes, its control socket.
      process.exit(1);
    }
  },
};
