import fc from 'fast-check';
import t from 'tap';
import { type MemoryKernel, memoryKernel } from '../../src/kernel/memory-kernel.ts';
import type { Plan } from '../../src/model/operation.ts';
import type { LiveState, ServiceState, State } from '../../src/model/state.ts';
import { type VirtualServiceKey, virtualServiceKey } from '../../src/model/virtual-service.ts';
import { desired } from '../../src/plan/desired.ts';
import { diff } from '../../src/plan/diff.ts';
import { config, health, state } from '../support/plan-arbitraries.ts';

const empty: State = { services: new Map() };

async function kernelWith(table: State): Promise<MemoryKernel> {
  const kernel = memoryKernel();
  await carryOut(kernel, diff(empty, table));
  return kernel;
}

async function carryOut(kernel: MemoryKernel, plan: Plan): Promise<void> {
  const failures = await kernel.apply(plan);
  if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join('\n'));
}

/** What people compare: keys and attributes, in any order, without connections. */
function contents({ services }: State): readonly string[] {
  return [...services]
    .map(([key, { service, destinations }]) => {
      const rows = [...destinations].map(([name, { method, tunnel, weight, maxConnections, minConnections }]) =>
        JSON.stringify([name, method, tunnel, weight, maxConnections, minConnections]),
      );
      return JSON.stringify([key, service, rows.sort()]);
    })
    .sort();
}

function reversed({ services }: State): State {
  const entries = [...services]
    .reverse()
    .map(([key, { service, destinations }]): [VirtualServiceKey, ServiceState] => [
      key,
      { service, destinations: new Map([...destinations].reverse()) },
    ]);
  return { services: new Map(entries) };
}

/** The number of things that are in one table and not, or not the same, in the other. */
function differences(a: State, b: State): number {
  let count = 0;
  for (const key of new Set([...a.services.keys(), ...b.services.keys()])) {
    const [from, to] = [a.services.get(key), b.services.get(key)];
    if (to === undefined || JSON.stringify(from?.service) !== JSON.stringify(to.service)) count += 1;
    if (to === undefined) continue;
    for (const name of new Set([...(from?.destinations.keys() ?? []), ...to.destinations.keys()])) {
      const rows = [from?.destinations.get(name), to.destinations.get(name)];
      if (JSON.stringify(rows[0]) !== JSON.stringify(rows[1])) count += 1;
    }
  }
  return count;
}

const serves = (service: ServiceState | undefined): boolean =>
  [...(service?.destinations.values() ?? [])].some(({ weight }) => weight > 0);

t.test('diff() converges: applied to the one table it yields the other, and then finds nothing', async (t) => {
  const property = fc.asyncProperty(state, state, async (from, to) => {
    const kernel = await kernelWith(from);
    await carryOut(kernel, diff(await kernel.snapshot(), to));
    const live = await kernel.snapshot();
    return contents(live).join() === contents(to).join() && diff(live, to).length === 0;
  });
  await t.resolves(fc.assert(property, { numRuns: 200 }));
});

t.test('diff() is minimal: as many operations as there are differences', (t) => {
  t.doesNotThrow(() => {
    fc.assert(fc.property(state, state, (from, to) => diff(from, to).length === differences(from, to)));
  });
  t.end();
});

t.test('diff() makes the same plan whatever the order of the tables', (t) => {
  const property = fc.property(state, state, (from, to) => {
    t.same(diff(reversed(from), reversed(to)), diff(from, to));
  });
  t.doesNotThrow(() => {
    fc.assert(property, { numRuns: 50 });
  });
  t.end();
});

t.test('no prefix of a plan leaves a service without a server that has one before and after', async (t) => {
  const property = fc.asyncProperty(state, state, async (from, to) => {
    const kernel = await kernelWith(from);
    const survivors = [...from.services].filter(([key, service]) => serves(service) && serves(to.services.get(key)));
    for (const operation of diff(from, to)) {
      await carryOut(kernel, [operation]);
      const live = await kernel.snapshot();
      if (!survivors.every(([key]) => serves(live.services.get(key)))) return false;
    }
    return true;
  });
  await t.resolves(fc.assert(property, { numRuns: 100 }));
});

t.test('desired() never touches a foreign service under unmanaged = "keep"', (t) => {
  const property = fc.property(state, config, health, (table, wish, verdicts) => {
    const keeping = { ...wish, daemon: { ...wish.daemon, unmanaged: 'keep' as const } };
    const live = withConnections(table);
    const wanted = desired({ config: keeping, health: verdicts, live, owned: new Map(), nowMs: 0 });
    const named = new Set(wish.services.map(({ name }) => name));
    return diff(live, wanted.state).every(
      (operation) =>
        operation.kind === 'set-timeouts' ||
        named.has(virtualServiceKey('id' in operation ? operation.id : operation.service.id)),
    );
  });
  t.doesNotThrow(() => {
    fc.assert(property);
  });
  t.end();
});

function withConnections({ services }: State): LiveState {
  const counts = { activeConnections: 1, inactiveConnections: 0, persistentConnections: 0 };
  const entries = [...services].map(
    ([key, { service, destinations }]) =>
      [
        key,
        { service, destinations: new Map([...destinations].map(([name, row]) => [name, { ...row, ...counts }])) },
      ] as const,
  );
  return { services: new Map(entries), timeouts: { tcpSeconds: 900, tcpFinSeconds: 120, udpSeconds: 300 } };
}
