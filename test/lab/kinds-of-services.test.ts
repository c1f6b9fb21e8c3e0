import t from 'tap';
import { sendLoad } from '../../lab/load.ts';
import { vip } from '../../lab/topology.ts';
import { makeBalancer } from '../support/balancer.ts';
import { openDatagramClient } from '../support/datagrams.ts';

t.setTimeout(900_000);

const file = `
[defaults]
scheduler = "rr"
[service.six]
listen = ["[${vip.v6}]:80"]
server = [{ address = "fd02::11", port = 8080 }, { address = "fd02::12", port = 8080 }]
[service.dns]
listen = ["${vip.v4}:53", "[${vip.v6}]:53"]
protocol = "udp"
server = [{ address = "10.2.0.11" }, { address = "fd02::12" }]
[service.calls]
listen = ["${vip.v4}:3868"]
protocol = "sctp"
server = [{ address = "10.2.0.11" }]
[service.marked]
fwmark = 70000
family = ["inet", "inet6"]
server = [{ address = "10.2.0.12" }, { address = "fd02::12" }]
[service.direct]
listen = ["${vip.v4}:81", "[${vip.v6}]:81"]
mode = "dr"
server = [{ address = "10.2.0.11", weight = 2 }, { address = "fd02::11" }]
[service.tunnelled]
listen = ["${vip.v4}:82"]
mode = "tun"
tunnel = { type = "gue", port = 6080 }
server = [{ address = "10.2.0.11" }, { address = "10.2.0.12", tunnel = { type = "gre", checksum = "full" } }, { address = "10.2.0.13", tunnel = {} }]
`;

const table = [
  'fwmark 70000 rr -6: [fd02::12]:0 nat 1 -6',
  'fwmark 70000 rr: 10.2.0.12:0 nat 1',
  'sctp 10.1.0.100:3868 rr: 10.2.0.11:3868 nat 1',
  'tcp 10.1.0.100:81 rr: 10.2.0.11:81 dr 2',
  'tcp 10.1.0.100:82 rr: 10.2.0.11:82 tun 1 --tun-type gue --tun-port 6080 --tun-nocsum, 10.2.0.12:82 tun 1 --tun-type gre --tun-csum, 10.2.0.13:82 tun 1 --tun-type ipip',
  'tcp [fd01::100]:80 rr: [fd02::11]:8080 nat 1, [fd02::12]:8080 nat 1',
  'tcp [fd01::100]:81 rr: [fd02::11]:81 dr 1',
  'udp 10.1.0.100:53 rr: 10.2.0.11:53 nat 1',
  'udp [fd01::100]:53 rr: [fd02::12]:53 nat 1',
];

t.test(
  'IPv6, UDP, SCTP, fwmark, direct routing and tunnels: ipvsadm shows each exactly, and requests arrive',
  async (t) => {
    const balancer = await makeBalancer(t);
    const { client, director, servers } = balancer.topology;
    await Promise.all(servers.flatMap((server) => [server.listen(8080), server.listen(8005), server.listenUdp(53)]));
    await balancer.configure(file);
    await balancer.start();
    t.strictSame(await balancer.table(), table);

    t.match(
      await sendLoad(client, { host: vip.v6, count: 10 }),
      { servers: { server1: 5, server2: 5 }, failures: [] },
      'TCP, IPv6',
    );

    const udp4 = await openDatagramClient(client, 'inet');
    t.equal(await udp4.ask(vip.v4, 53), 'server1: hello', 'UDP, IPv4');
    udp4.close();
    const udp6 = await openDatagramClient(client, 'inet6');
    t.equal(await udp6.ask(vip.v6, 53), 'server2: hello', 'UDP, IPv6');
    udp6.close();

    const rules = ['ip daddr 10.1.0.100', 'ip6 daddr fd01::100'].map(
      (to) => `${to} tcp dport 8000-8009 meta mark set 70000;`,
    );
    await director.exec(
      'nft',
      `table inet marks { chain pre { type filter hook prerouting priority mangle; ${rules.join(' ')} }; }`,
    );
    for (const host of [vip.v4, vip.v6]) {
      t.match(
        await sendLoad(client, { host, port: 8005, count: 4 }),
        { servers: { server2: 4 }, failures: [] },
        `marked, ${host}`,
      );
    }
    t.strictSame((await balancer.reload()).operations, [], 'and all of it compares equal');
  },
);
