import t from 'tap';
import { vip } from '../../lab/topology.ts';
import { until } from '../../lab/until.ts';
import { type Balancer, makeBalancer } from '../support/balancer.ts';

t.setTimeout(900_000);

const file = `
[service.www]
listen = ["${vip.v4}:80"]
scheduler = "wrr"
server = [{ address = "10.2.0.11", weight = 3 }, { address = "10.2.0.12", weight = 5 }]
[service.mail]
listen = ["${vip.v4}:25"]
scheduler = "rr"
server = [{ address = "10.2.0.11" }, { address = "10.2.0.12" }]
[service.quiet]
listen = ["${vip.v4}:443"]
server = [{ address = "10.2.0.11" }]
`;

const table = [
  'tcp 10.1.0.100:25 rr: 10.2.0.11:25 nat 1, 10.2.0.12:25 nat 1',
  'tcp 10.1.0.100:443 wlc: 10.2.0.11:443 nat 1',
  'tcp 10.1.0.100:80 wrr: 10.2.0.11:80 nat 3, 10.2.0.12:80 nat 5',
];

/** What other hands do to the table, and the operations that undo it. */
const accidents = [
  {
    what: 'a deleted service',
    ipvsadm: '-D -t 10.1.0.100:25',
    operations: [
      'mail tcp 10.1.0.100:25: + virtual service scheduler rr',
      'mail tcp 10.1.0.100:25: + 10.2.0.11:25 method nat, weight 1',
      'mail tcp 10.1.0.100:25: + 10.2.0.12:25 method nat, weight 1',
    ],
  },
  {
    what: 'a deleted destination',
    ipvsadm: '-d -t 10.1.0.100:80 -r 10.2.0.12:80',
    operations: ['www tcp 10.1.0.100:80: + 10.2.0.12:80 method nat, weight 5'],
  },
  {
    what: 'an altered weight',
    ipvsadm: '-e -t 10.1.0.100:80 -r 10.2.0.11:80 -m -w 77',
    operations: ['www tcp 10.1.0.100:80: ~ 10.2.0.11:80 weight 77 → 3'],
  },
  {
    what: 'an altered scheduler',
    ipvsadm: '-E -t 10.1.0.100:443 -s lc',
    operations: ['quiet tcp 10.1.0.100:443: ~ virtual service scheduler lc → wlc'],
  },
  {
    what: 'a foreign destination in our service',
    ipvsadm: '-a -t 10.1.0.100:80 -r 10.2.0.99:80 -m -w 9',
    operations: ['www tcp 10.1.0.100:80: ↓ 10.2.0.99:80 weight 9 → 0'],
  },
];

async function disturb({ topology: { director } }: Balancer): Promise<void> {
  for (const { ipvsadm } of accidents) await director.exec('ipvsadm', ...ipvsadm.split(' '));
}

t.test(
  'drift: what other hands changed in our services is repaired by a reload, and by itself at the resync',
  async (t) => {
    const balancer = await makeBalancer(t);
    await balancer.configure(file, 'resync = "1h"');
    await balancer.start();
    t.strictSame(await balancer.table(), table);

    for (const { what, ipvsadm, operations } of accidents) {
      await balancer.topology.director.exec('ipvsadm', ...ipvsadm.split(' '));
      t.strictSame(
        (await balancer.reload()).operations,
        operations,
        `${what}: repaired by a reload, by exactly these operations`,
      );
    }
    t.strictSame(await balancer.tableSoon(table), table, 'the foreign destination drains before it goes');

    await disturb(balancer);
    const expected = accidents.flatMap(({ operations }) => operations).sort();
    t.strictSame([...(await balancer.hangUp())].sort(), expected, 'all of it at once');
    t.strictSame(await balancer.tableSoon(table), table);
    t.strictSame((await balancer.reload()).operations, [], 'and nothing is left to do');

    await balancer.configure(file, 'resync = "1s"');
    await balancer.reload();
    const from = balancer.daemon.log.length;
    await disturb(balancer);
    const all = [...expected, 'www tcp 10.1.0.100:80: - 10.2.0.99:80'].sort();
    await until('repaired by the resync', () => balancer.operations(from).length >= all.length);
    // the resync may come between two accidents: the same operations, in whichever rounds
    t.strictSame([...balancer.operations(from)].sort(), all, 'the resync repairs the same');
    t.match(
      balancer.daemon.log.slice(from).find((line) => 'kind' in line),
      { cause: 'drift', level: 40 },
      'and it is called drift, and a warning',
    );
    t.strictSame(await balancer.table(), table);
  },
);

t.test('a table that was cleared is whole again after a reload', async (t) => {
  const balancer = await makeBalancer(t);
  await balancer.configure(file);
  await balancer.start();
  await balancer.topology.director.exec('ipvsadm', '-C');
  t.match(await balancer.reload(), { result: 'applied', changes: 8 });
  t.strictSame(await balancer.table(), table);
});
