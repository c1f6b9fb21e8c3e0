import t from 'tap';
import { startCapture } from '../../lab/capture.ts';
import { readTable, readTableText } from '../../lab/ipvsadm.ts';
import { sendLoad } from '../../lab/load.ts';
import { makeTopology, vip } from '../../lab/topology.ts';

t.test('the lab: a client gets answers through IPVS from both servers by weight', async (t) => {
  const { client, director, servers } = await makeTopology(t, { servers: 2 });
  await Promise.all(servers.map((server) => server.listen(8080)));
  const [first, second] = servers;
  for (const [address, rs] of [
    [`${vip.v4}:80`, servers.map((server) => `${server.v4}:8080`)],
    [`[${vip.v6}]:80`, servers.map((server) => `[${server.v6}]:8080`)],
  ] as const) {
    await director.exec('ipvsadm', '-A', '-t', address, '-s', 'wrr');
    await director.exec('ipvsadm', '-a', '-t', address, '-r', rs[0] ?? '', '-m', '-w', '3');
    await director.exec('ipvsadm', '-a', '-t', address, '-r', rs[1] ?? '', '-m', '-w', '1');
  }

  t.strictSame(await readTableText(director), [
    'tcp 10.1.0.100:80 wrr: 10.2.0.11:8080 nat 3, 10.2.0.12:8080 nat 1',
    'tcp [fd01::100]:80 wrr: [fd02::11]:8080 nat 3, [fd02::12]:8080 nat 1',
  ]);

  const capture = await startCapture(director, 'servers', 'tcp port 8080');
  for (const host of [vip.v4, vip.v6]) {
    const report = await sendLoad(client, { host, count: 200 });
    t.match(report, { requests: 200, servers: { server1: 150, server2: 50 }, failures: [] }, host);
  }
  t.equal(first?.requests, 300);
  t.equal(second?.requests, 100);

  const lines = await capture.stop();
  t.match(lines.join('\n'), /10\.1\.0\.10\.\d+ > 10\.2\.0\.11\.8080: Flags \[S\]/, 'the destination was rewritten');
  t.match(lines.join('\n'), /fd01::10\.\d+ > fd02::12\.8080: Flags \[S\]/, 'the destination was rewritten, IPv6');
  const statistics = await director.exec('ipvsadm', '-Ln', '--stats', '--exact');
  t.match(statistics, /-> 10\.2\.0\.11:8080 +150 /, 'ipvsadm counted the same');
  t.match((await readTable(director))[0]?.destinations[0], { active: Number, inactive: Number });
});

t.test('the lab: a load client reports each failure with its time and reason', async (t) => {
  const { client, director, servers } = await makeTopology(t, { servers: 1 });
  await director.exec('ipvsadm', '-A', '-t', `${vip.v4}:80`, '-s', 'rr');
  await director.exec('ipvsadm', '-a', '-t', `${vip.v4}:80`, '-r', '10.2.0.11:80', '-m');
  const report = await sendLoad(client, { host: vip.v4, count: 2 });
  t.match(report, { requests: 2, servers: {}, failures: [{ reason: 'ECONNREFUSED' }, { reason: 'ECONNREFUSED' }] });
  const [server] = servers;
  await server?.listen();
  await server?.listenUdp(53);
  t.match(await sendLoad(client, { host: vip.v4, count: 2 }), { servers: { server1: 2 }, failures: [] });

  const socket = client.connect(vip.v4, 80).setEncoding('utf8');
  socket.write('hello\n');
  const echo = await new Promise((resolve) => socket.once('data', resolve));
  t.equal(echo, 'server1: hello\n', 'a connection that stays open');
  const reset = new Promise((resolve) => socket.once('error', resolve));
  await server?.kill();
  t.match(await reset, { code: 'ECONNRESET' }, 'is reset when its server dies');
});
