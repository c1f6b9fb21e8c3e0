import fc from 'fast-check';
import t from 'tap';
import { mustRun } from '../../lab/command.ts';
import { inNamespace } from '../../lab/network-namespace.ts';
import type { Kernel } from '../../src/kernel/kernel.ts';
import { openLinuxKernel } from '../../src/kernel/linux-kernel.ts';
import { memoryKernel } from '../../src/kernel/memory-kernel.ts';
import type { Failure, Plan } from '../../src/model/operation.ts';
import type { LiveState } from '../../src/model/state.ts';
import { NETLINK_GENERIC } from '../../src/netlink/protocol.ts';
import { openNetlinkSocket } from '../../src/netlink/socket-transport.ts';
import { defaultTimeouts, virtualService } from '../support/compact.ts';
import { ids, operation } from '../support/operation-arbitraries.ts';

const runs = 140;
const longest = 40;

const plain = virtualService('tcp 192.0.2.1:80 rr prefix=32');

/** What is compared: services in any order, destinations in the kernel's order, which mh and sh depend on. */
function table({ services, timeouts }: LiveState): unknown {
  const entries = [...services].map(([key, { service, destinations }]) => [key, { service, rows: [...destinations] }]);
  return { services: Object.fromEntries(entries) as unknown, timeouts };
}

/** Which operations failed and how, but for those that failed only because their service could not be added. */
function refusals(plan: Plan, failures: readonly Failure[]): readonly string[] {
  return failures
    .filter(({ operation, code }) => !('id' in operation && code === 'ESRCH'))
    .map(({ operation, code }) => `${plan.indexOf(operation)} ${code} ${JSON.stringify(operation)}`);
}

/** Both start with the same services, so that most operations meet one. */
async function begin(kernel: Kernel): Promise<void> {
  const { services } = await kernel.snapshot();
  await kernel.apply([
    ...[...services.values()].map(({ service }) => ({ kind: 'remove-service' as const, service })),
    ...ids.map((id) => ({ kind: 'add-service' as const, service: { ...plain, id } })),
    { kind: 'set-timeouts', timeouts: defaultTimeouts, from: defaultTimeouts },
  ]);
}

// Under software emulation and on a busy machine this takes minutes.
t.setTimeout(300_000);

t.test('the in-memory kernel does and refuses what the real one does and refuses', async (t) => {
  const namespace = `differential-${process.pid}`;
  await mustRun(['ip', 'netns', 'add', namespace]);
  t.teardown(() => mustRun(['ip', 'netns', 'delete', namespace]));
  // Without a local route, inet_addr_type() takes every address for a broadcast.
  await mustRun(['ip', '-n', namespace, 'link', 'set', 'lo', 'up']);
  const real = await openLinuxKernel({
    openTransport: () => inNamespace(namespace, () => openNetlinkSocket(NETLINK_GENERIC)),
    loadModule: () => Promise.resolve(false),
  });
  t.teardown(() => {
    real.close();
  });
  const twin = memoryKernel();
  const codes = new Map<string, number>();
  let operations = 0;

  const property = fc.asyncProperty(
    fc.array(operation, { minLength: 1, maxLength: longest, size: 'max' }),
    async (plan) => {
      await begin(real);
      await begin(twin);
      for (const half of [plan.slice(0, plan.length / 2), plan.slice(plan.length / 2)]) {
        const failed = await twin.apply(half);
        const wanted = { failures: refusals(half, failed), table: table(await twin.snapshot({ statistics: true })) };
        const found = {
          failures: refusals(half, await real.apply(half)),
          table: table(await real.snapshot({ statistics: true })),
        };
        operations += half.length;
        for (const { code } of failed) codes.set(code, (codes.get(code) ?? 0) + 1);
        const difference = differs(found, wanted);
        if (difference !== undefined) throw new Error(difference);
      }
    },
  );
  await t.resolves(fc.assert(property, { numRuns: runs }));
  t.comment(`${operations} operations, refused: ${JSON.stringify(Object.fromEntries(codes))}`);
  t.ok(operations >= 2000);
});

function differs(found: unknown, wanted: unknown): string | undefined {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : sorted(part)), 1);
  const [a, b] = [text(found).split('\n'), text(wanted).split('\n')];
  const at = a.findIndex((line, index) => line !== b[index]);
  return at < 0 && a.length === b.length
    ? undefined
    : `real:\n${a.slice(at - 12, at + 4).join('\n')}\ntwin:\n${b.slice(at - 12, at + 4).join('\n')}`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
