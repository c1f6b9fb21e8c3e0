import t from 'tap';
import { memoryKernel } from '../../../src/kernel/memory-kernel.ts';
import type { Destination } from '../../../src/model/destination.ts';
import type { Operation, Plan } from '../../../src/model/operation.ts';
import type { VirtualService } from '../../../src/model/virtual-service.ts';
import { defaultTimeouts, destination, serviceId, virtualService } from '../../support/compact.ts';

const www = 'tcp 192.0.2.1:80';
const v6 = 'tcp [2001:db8::1]:80';

const add = (service: VirtualService): Operation => ({ kind: 'add-service', service });
const edit = (service: VirtualService): Operation => ({ kind: 'edit-service', service, from: service });
const remove = (service: VirtualService): Operation => ({ kind: 'remove-service', service });
const addTo = (id: string, line: string, more: Partial<Destination> = {}): Operation => ({
  kind: 'add-destination',
  id: serviceId(id),
  destination: { ...destination(line), ...more },
});
const editIn = (id: string, line: string, more: Partial<Destination> = {}): Operation => ({
  kind: 'edit-destination',
  id: serviceId(id),
  destination: { ...destination(line), ...more },
  from: destination(line),
});
const removeFrom = (id: string, line: string): Operation => ({
  kind: 'remove-destination',
  id: serviceId(id),
  destination: destination(line),
});
const timeouts = (tcpSeconds: number): Operation => ({
  kind: 'set-timeouts',
  timeouts: { tcpSeconds, tcpFinSeconds: 60, udpSeconds: 0 },
  from: defaultTimeouts,
});

/** Both services, with one destination in the first. */
const before: Plan = [add(virtualService(www)), add(virtualService(v6)), addTo(www, '10.0.0.1:80')];

t.test('memoryKernel() refuses what the kernel refuses, with its errno and in words', async (t) => {
  const cases: [situation: string, operation: Operation, refusal: string | undefined][] = [
    [
      'a service that exists',
      add(virtualService(www)),
      'cannot add the virtual service tcp 192.0.2.1:80: it exists already: another program may be changing the table (EEXIST)',
    ],
    ['exists goes before the scheduler', add(virtualService(`${www} nope`)), 'EEXIST'],
    [
      'an unknown scheduler',
      add(virtualService('udp 192.0.2.1:53 nope')),
      "cannot add the virtual service udp 192.0.2.1:53: the kernel lacks the scheduler nope: load ip_vs_nope with modprobe (Debian's linux-image packages have what there is; a kernel of your own needs CONFIG_IP_VS_NOPE) (ENOENT)",
    ],
    [
      'an unknown engine',
      edit(virtualService(`${www} wlc engine=nope`)),
      "cannot change the virtual service tcp 192.0.2.1:80: the kernel lacks the scheduler wlc or the persistence engine nope: load ip_vs_wlc and ip_vs_pe_nope with modprobe (Debian's linux-image packages have what there is; a kernel of your own needs CONFIG_IP_VS_WLC and CONFIG_IP_VS_PE_NOPE) (ENOENT)",
    ],
    [
      'a prefix beyond IPv6',
      edit(virtualService(`${v6} wlc prefix=129`)),
      'cannot change the virtual service tcp [2001:db8::1]:80: the persistence prefix 129 is not 1 to 128 (EINVAL)',
    ],
    ['no prefix with IPv6', edit(virtualService(`${v6} wlc prefix=0`)), 'EINVAL'],
    ['no prefix with IPv4', edit(virtualService(`${www} wlc prefix=0`)), undefined],
    ['an overlong scheduler', edit(virtualService(`${www} sixteencharacter`)), 'EINVAL'],
    ['the scheduler "none"', edit(virtualService(`${www} none`)), undefined],
    ['a missing service', edit(virtualService('udp 192.0.2.1:53')), 'ESRCH'],
    [
      'a missing service to remove',
      remove(virtualService('udp 192.0.2.1:53')),
      'cannot remove the virtual service udp 192.0.2.1:53: the virtual service does not exist: it could not be added, or another program removed it (ESRCH)',
    ],
    ['a destination of a missing service', addTo('udp 192.0.2.1:53', '10.0.0.1:53'), 'ESRCH'],
    ['a destination that exists', addTo(www, '10.0.0.1:80'), 'EEXIST'],
    [
      'a missing destination',
      editIn(www, '10.0.0.2:80'),
      'cannot change the destination 10.0.0.2:80 of tcp 192.0.2.1:80: it does not exist: another program may have removed it (ENOENT)',
    ],
    ['a missing destination to remove', removeFrom(www, '10.0.0.2:80'), 'ENOENT'],
    [
      'the other family without a tunnel',
      addTo(www, '[2001:db8::11]:80 dr'),
      'cannot add the destination [2001:db8::11]:80 of tcp 192.0.2.1:80: only mode tun leads to the other address family (EINVAL)',
    ],
    ['the other family by a tunnel', addTo(www, '[2001:db8::11]:80 tun'), undefined],
    [
      'a negative weight',
      editIn(www, '10.0.0.1:80 nat weight=-1'),
      'cannot change the destination 10.0.0.1:80 of tcp 192.0.2.1:80: its weight, -1, is out of range (ERANGE)',
    ],
    ['a weight beyond an int', editIn(www, '10.0.0.1:80 nat weight=2147483648'), 'ERANGE'],
    ['the largest weight', editIn(www, '10.0.0.1:80 nat weight=2147483647'), undefined],
    [
      'a minimum above the maximum',
      editIn(www, '10.0.0.1:80 nat max=1 min=2'),
      'cannot change the destination 10.0.0.1:80 of tcp 192.0.2.1:80: its minimum of connections, 2, is above its maximum, 1 (ERANGE)',
    ],
    ['a minimum without a maximum', editIn(www, '10.0.0.1:80 nat min=2'), 'ERANGE'],
    ['a maximum beyond an int', editIn(www, '10.0.0.1:80 nat max=2147483648'), 'EINVAL'],
    [
      'GUE without a port',
      addTo(www, '10.0.0.2:80 tun tunnel=gue'),
      'cannot add the destination 10.0.0.2:80 of tcp 192.0.2.1:80: a GUE tunnel needs a port (EINVAL)',
    ],
    ['no tunnel, so no port needed', addTo(www, '10.0.0.2:80 nat tunnel=gue'), undefined],
    ...['0.0.0.0:80', '224.0.0.1:80', '255.255.255.255:80'].map((address): [string, Operation, string] => [
      address,
      addTo(www, address),
      'EINVAL',
    ]),
    ...['[::]:80', '[ff02::1]:80', '[fe80::1]:80', '[::ffff:10.0.0.1]:80'].map(
      (address): [string, Operation, string] => [address, addTo(v6, address), 'EINVAL'],
    ),
    ['an address of this host', addTo(www, '127.0.0.1:80'), undefined],
    ['a timeout beyond jiffies', timeouts(8_589_935), 'cannot set the timeouts: a timeout is out of range (EINVAL)'],
  ];
  for (const [situation, operation, refusal] of cases) {
    const kernel = memoryKernel();
    t.same(await kernel.apply(before), []);
    const [failure] = await kernel.apply([operation]);
    t.equal(refusal?.includes(' ') === true ? failure?.message : failure?.code, refusal, situation);
  }
});

t.test('memoryKernel() goes on after an operation that fails, and tells which did', async (t) => {
  const kernel = memoryKernel();
  const failures = await kernel.apply([...before, addTo(www, '10.0.0.1:80'), addTo(www, '10.0.0.2:80')]);
  t.same(
    failures.map(({ operation, code }) => [operation.kind, code]),
    [['add-destination', 'EEXIST']],
  );
  const { services } = await kernel.snapshot();
  t.same(
    [...(services.get(www)?.destinations.keys() ?? [])],
    ['10.0.0.2:80', '10.0.0.1:80'],
    'the newest first, as in the kernel',
  );
});

t.test('memoryKernel() reads back what was written', async (t) => {
  const kernel = memoryKernel();
  const service = virtualService(`${www} mh flags=24 persistence=300 prefix=24 engine=sip`);
  await kernel.apply([
    ...before,
    edit({ ...service, flags: 26 }),
    editIn(www, '10.0.0.1:80 tun weight=3 max=9 tunnel=gue port=6080'),
    timeouts(600),
  ]);
  const { services, timeouts: now } = await kernel.snapshot({ only: [serviceId(www), serviceId('udp 192.0.2.1:53')] });
  t.same([...services.keys()], [www], 'only what was asked for and is there');
  t.same(services.get(www)?.service, service, "but for the flag that is the kernel's own");
  t.match(
    services.get(www)?.destinations.get('10.0.0.1:80'),
    destination('10.0.0.1:80 tun weight=3 max=9 tunnel=gue port=6080'),
  );
  t.same(now, { tcpSeconds: 600, tcpFinSeconds: 60, udpSeconds: 300 }, 'a timeout of 0 keeps what was there');
  t.notOk(services.get(www)?.statistics);
  t.equal((await kernel.snapshot({ statistics: true })).services.get(www)?.statistics?.inBytes, 0n);
});

t.test('memoryKernel() lets tests play clients, faults and strangers', async (t) => {
  const kernel = memoryKernel();
  await kernel.apply(before);
  kernel.setConnections(serviceId(www), '10.0.0.1:80', 2, 1);
  await kernel.apply([removeFrom(www, '10.0.0.1:80'), addTo(www, '10.0.0.1:80')]);
  const live = (await kernel.snapshot()).services.get(www)?.destinations.get('10.0.0.1:80');
  t.match(
    live,
    { activeConnections: 2, inactiveConnections: 1 },
    'connections outlive the removal of their destination',
  );

  kernel.refuse(({ kind }) => (kind === 'remove-service' ? 'ENOMEM' : undefined));
  const [failure] = await kernel.apply([remove(virtualService(www))]);
  t.equal(failure?.message, 'cannot remove the virtual service tcp 192.0.2.1:80: not enough memory (ENOMEM)');
  kernel.refuse(() => undefined);
  t.same(await kernel.apply([remove(virtualService(www))]), []);
  t.same(kernel.log.map(({ kind }) => kind).slice(-3), ['remove-destination', 'add-destination', 'remove-service']);
  t.same(await kernel.info(), { release: 'memory', ipvsVersion: '1.2.1', connectionTableSize: 4096 });
  kernel.close();
});

t.test('memoryKernel() reads the services alone when asked to', async (t) => {
  const kernel = memoryKernel();
  await kernel.apply([add(virtualService(www)), addTo(www, '10.0.0.1:80')]);
  const { services } = await kernel.snapshot({ servicesOnly: true });
  t.equal(services.get(www)?.destinations.size, 0);
  t.equal((await kernel.snapshot()).services.get(www)?.destinations.size, 1);
});
