import t from 'tap';
import { openLinuxKernel } from '../../../src/kernel/linux-kernel.ts';
import type { Kernel } from '../../../src/kernel/kernel.ts';
import type { Operation, Plan } from '../../../src/model/operation.ts';
import { destination, serviceId, virtualService } from '../../support/compact.ts';
import { type FakeIpvs, fakeIpvs } from '../../support/fake-ipvs.ts';
import { functionTransport } from '../../support/function-transport.ts';

/** Opens the kernel over a fake; `load` is what modprobe would do. */
async function open(
  fake: FakeIpvs,
  load: (module: string) => boolean = () => false,
): Promise<Kernel & { modules: string[] }> {
  const modules: string[] = [];
  const kernel = await openLinuxKernel({
    openTransport: () => functionTransport((datagram) => fake.answer(datagram)),
    loadModule: (module) => {
      modules.push(module);
      return Promise.resolve(load(module));
    },
  });
  return { ...kernel, modules };
}

const addService = (line: string): Operation => ({ kind: 'add-service', service: virtualService(line) });
const addDestination = (id: string, line: string): Operation => ({
  kind: 'add-destination',
  id: serviceId(id),
  destination: destination(line),
});

/** A service whose scheduler is missing, with two destinations; another that is well. */
const plan: Plan = [
  addService('tcp 192.0.2.1:80 mh'),
  addDestination('tcp 192.0.2.1:80', '10.0.0.1:80'),
  addDestination('tcp 192.0.2.1:80', '10.0.0.2:80'),
  addService('tcp 192.0.2.2:80 rr'),
  addDestination('tcp 192.0.2.2:80', '10.0.0.1:80'),
];

void t.test('apply() sends a whole plan in one datagram, after one that asks whether the kernel answers', async (t) => {
  const fake = fakeIpvs();
  fake.schedulers.add('mh');
  const kernel = await open(fake);
  fake.datagrams.length = 0;
  t.strictSame(await kernel.apply(plan), []);
  t.strictSame(fake.datagrams, [[13], [1, 5, 5, 1, 5]]);
});

void t.test(
  'apply() splits a large plan into datagrams of 128 KiB and maps refusals to their operations',
  async (t) => {
    const fake = fakeIpvs();
    const kernel = await open(fake);
    const many: Operation[] = [addService('tcp 192.0.2.1:80 rr')];
    for (let index = 0; index < 2000; index++) {
      many.push(addDestination(`tcp 192.0.2.${index === 1500 ? 9 : 1}:80`, `10.0.${index >> 8}.${index & 255}:80`));
    }
    fake.datagrams.length = 0;
    const failures = await kernel.apply(many);
    t.strictSame(
      failures.map(({ operation, code }) => [operation === many[1501], code]),
      [[true, 'ESRCH']],
    );
    t.equal(fake.datagrams.length, 1 + 3, 'few system calls');
    t.equal(fake.datagrams.flat().length, 1 + many.length);
  },
);

void t.test('a missing scheduler: one attempt to load it, then what failed for want of it is done', async (t) => {
  const fake = fakeIpvs();
  const kernel = await open(fake, (module) => {
    fake.schedulers.add(module.replace('ip_vs_', ''));
    return true;
  });
  fake.datagrams.length = 0;
  t.strictSame(await kernel.apply([...plan, addService('tcp 192.0.2.3:80 mh')]), []);
  t.strictSame(kernel.modules, ['ip_vs_mh']);
  t.strictSame(fake.datagrams.slice(1), [
    [1, 5, 5, 1, 5, 1],
    [1, 5, 5, 1],
  ]);
});

void t.test('a scheduler that cannot be had: named once with its module, and the rest is done', async (t) => {
  const fake = fakeIpvs();
  const kernel = await open(fake);
  const failures = await kernel.apply(plan);
  t.strictSame(kernel.modules, ['ip_vs_mh']);
  t.strictSame(
    failures.map(({ operation, code }) => [operation, code]),
    [[plan[0], 'ENOENT']],
  );
  t.match(failures[0]?.message, /scheduler mh.*ip_vs_mh.*its 2 destinations are missing too/);
  t.equal(fake.services.size, 1);
});

void t.test('destinations of a service that another program removed are failures of their own', async (t) => {
  const kernel = await open(fakeIpvs());
  const failures = await kernel.apply(plan.slice(1, 3));
  t.strictSame(
    failures.map(({ code }) => code),
    ['ESRCH', 'ESRCH'],
  );
});

void t.test('a service that exists already is reported, and its destinations are added', async (t) => {
  const fake = fakeIpvs();
  const kernel = await open(fake);
  await kernel.apply(plan.slice(3));
  t.strictSame(
    (await kernel.apply(plan.slice(3))).map(({ code }) => code),
    ['EEXIST'],
  );
});

void t.test('openLinuxKernel() loads ip_vs when the kernel lacks it', async (t) => {
  const fake = fakeIpvs();
  fake.family = undefined;
  const kernel = await open(fake, () => {
    fake.family = 30;
    return true;
  });
  t.strictSame(kernel.modules, ['ip_vs']);
  t.match(await kernel.info(), { ipvsVersion: '1.2.1', connectionTableSize: 4096 });
});

void t.test('openLinuxKernel() says what is missing', async (t) => {
  const none = fakeIpvs();
  none.family = undefined;
  await t.rejects(open(none), { name: 'NetlinkError', code: 'ENOENT', message: /modprobe ip_vs.*linux-image/ });
  const forbidden = fakeIpvs();
  forbidden.permitted = false;
  await t.rejects(open(forbidden), { code: 'EPERM', message: /CAP_NET_ADMIN in the initial user namespace/ });
});

void t.test('a module that was loaded anew has another number, which is found again', async (t) => {
  const fake = fakeIpvs();
  const kernel = await open(fake);
  fake.family = 29;
  t.strictSame((await kernel.snapshot()).timeouts, { tcpSeconds: 900, tcpFinSeconds: 120, udpSeconds: 300 });
  fake.family = 30;
  t.strictSame(await kernel.apply(plan.slice(3)), []);
});

void t.test('calls that overlap take turns on the socket', async (t) => {
  const kernel = await open(fakeIpvs());
  const [info, snapshot, failures] = await Promise.all([kernel.info(), kernel.snapshot(), kernel.apply(plan.slice(3))]);
  t.equal(info.ipvsVersion, '1.2.1');
  t.equal(snapshot.services.size, 0);
  t.strictSame(failures, []);
});
