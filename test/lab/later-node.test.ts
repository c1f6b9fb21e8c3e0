import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Daemon } from '../../lab/daemon.ts';
import { readTableText } from '../../lab/ipvsadm.ts';
import { root } from '../../lab/root.ts';
import { makeTopology, vip } from '../../lab/topology.ts';
import { until } from '../../lab/until.ts';

/** Another Node than the one that runs the tests; `npm test` names the newest. */
const node = process.env['IPVSD_LATER_NODE'] ?? process.execPath;

t.test('the daemon does its main job on a later Node too', async (t) => {
  const { director, servers } = await makeTopology(t, { servers: 1 });
  const directory = t.testdir();
  const file = join(directory, 'ipvsd.toml');
  const write = (weight: number): void => {
    writeFileSync(
      file,
      `[daemon]
control_socket = "/run/later-node.sock"
state_dir = "${directory}/state"
[service.www]
listen = ["${vip.v4}:80"]
check = { type = "tcp", interval = "200ms", timeout = "150ms", fall = 2 }
[[service.www.server]]
address = "10.2.0.11"
weight = ${weight}
`,
    );
  };
  const table = (text: string) => until(text, async () => (await readTableText(director)).includes(text));
  await servers[0]?.listen();
  write(5);
  const daemon = new Daemon(director.spawn(node, join(root, 'dist/src/cli/main.js'), 'run', '-c', file));
  await daemon.logged(/"ready"/, 60_000);
  await table('tcp 10.1.0.100:80 wlc: 10.2.0.11:80 nat 5');
  write(6);
  daemon.signal('SIGHUP');
  await table('tcp 10.1.0.100:80 wlc: 10.2.0.11:80 nat 6');
  await servers[0]?.kill();
  await table('tcp 10.1.0.100:80 wlc: 10.2.0.11:80 nat 0');
  t.equal(await daemon.stop(), 0);
});
