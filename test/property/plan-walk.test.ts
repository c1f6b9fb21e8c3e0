import fc from 'fast-check';
import t from 'tap';
import { type MemoryKernel, memoryKernel } from '../../src/kernel/memory-kernel.ts';
import type { Config, Server } from '../../src/model/config.ts';
import { type Destination, destinationKey } from '../../src/model/destination.ts';
import type { Health } from '../../src/model/health.ts';
import type { Ownership } from '../../src/model/ownership.ts';
import type { ServiceState } from '../../src/model/state.ts';
import { type VirtualService, type VirtualServiceId, virtualServiceKey } from '../../src/model/virtual-service.ts';
import { desired } from '../../src/plan/desired.ts';
import { diff } from '../../src/plan/diff.ts';
import { config, destinationOf, health, ids } from '../support/plan-arbitraries.ts';

interface World {
  readonly kernel: MemoryKernel;
  config: Config;
  health: Health;
  owned: Ownership;
  nowMs: number;
}

/** What happens between two rounds. */
type Event = (world: World) => Promise<void> | void;

const id = fc.constantFrom(...ids);

const event: fc.Arbitrary<Event> = fc.oneof(
  config.map(
    (wish): Event =>
      (world) =>
        void (world.config = wish),
  ),
  health.map(
    (verdicts): Event =>
      (world) =>
        void (world.health = verdicts),
  ),
  fc.constantFrom(500, 5000, 90_000).map(
    (ms): Event =>
      (world) =>
        void (world.nowMs += ms),
  ),
  fc.tuple(id, fc.nat(2)).map(
    ([id, count]): Event =>
      (world) =>
        connect(world, id, count),
  ),
  id.chain((id) =>
    destinationOf(id).map(
      (destination): Event =>
        (world) =>
          meddle(world, id, destination),
    ),
  ),
  id.map(
    (id): Event =>
      (world) =>
        wipe(world, id),
  ),
);

/** Clients come, or leave. */
async function connect({ kernel }: World, id: VirtualServiceId, count: number): Promise<void> {
  const service = (await kernel.snapshot({ only: [id] })).services.get(virtualServiceKey(id));
  for (const key of service?.destinations.keys() ?? []) kernel.setConnections(id, key, count, 0);
}

/** A virtual service as another program makes it. */
function foreign(id: VirtualServiceId): VirtualService {
  return { id, scheduler: 'rr', flags: 0, persistenceSeconds: 0, persistencePrefix: 32, persistenceEngine: '' };
}

/** Another program adds or edits a destination. */
async function meddle({ kernel }: World, id: VirtualServiceId, destination: Destination): Promise<void> {
  await kernel.apply([
    { kind: 'add-service', service: foreign(id) },
    { kind: 'add-destination', id, destination },
    { kind: 'edit-destination', id, destination, from: destination },
  ]);
}

/** Another program removes a service. */
async function wipe({ kernel }: World, id: VirtualServiceId): Promise<void> {
  await kernel.apply([{ kind: 'remove-service', service: foreign(id) }]);
}

/** One round, as the daemon does it; afterwards the kernel is as wanted, and another round only removes what is idle. */
async function round(world: World): Promise<void> {
  const live = await world.kernel.snapshot();
  const { state, owned } = desired({ ...world, live });
  const failures = await world.kernel.apply(diff(live, state));
  world.owned = owned;
  const after = await world.kernel.snapshot();
  const again = desired({ ...world, live: after });
  const more = diff(after, again.state).filter(({ kind }) => !kind.startsWith('remove-'));
  const left = [...failures, ...diff(after, state), ...more];
  if (left.length > 0) throw new Error(`the round left ${JSON.stringify(left)}`);
}

/** The servers that a virtual service should have, when all are up. */
function rightly({ enabled, destination }: Server, service: ServiceState | undefined): boolean {
  const live = service?.destinations.get(destinationKey(destination));
  return enabled ? live?.weight === destination.weight : live === undefined || live.weight === 0;
}

const known: Health = new Map(
  ['a', 'b', 'c'].map((key) => [key, { verdict: 'up', probed: true, contradicting: 0, reason: '', sinceMs: 0 }]),
);

/** Whether the table is what the file says and no more, but for services that are not ours. */
async function isSettled({ kernel, config, owned }: World): Promise<boolean> {
  const { services } = await kernel.snapshot();
  const listeners = config.services.flatMap(({ enabled, listeners }) => (enabled ? listeners : []));
  return (
    owned.size === listeners.length &&
    (config.daemon.unmanaged === 'keep' || services.size === listeners.length) &&
    listeners.every(({ service, servers }) => {
      const live = services.get(virtualServiceKey(service.id));
      const names = new Set(servers.map(({ destination }) => destinationKey(destination)));
      return (
        servers.every((server) => rightly(server, live)) &&
        [...(live?.destinations.keys() ?? [])].every((key) => names.has(key))
      );
    })
  );
}

t.test('desired() and diff() end a random walk with the table that the file describes', async (t) => {
  const walk = fc.asyncProperty(config, fc.array(event, { maxLength: 12 }), async (first, events) => {
    const world: World = { kernel: memoryKernel(), config: first, health: new Map(), owned: new Map(), nowMs: 1 };
    await round(world);
    for (const happens of events) {
      await happens(world);
      await round(world);
    }
    world.health = known;
    await round(world);
    world.nowMs += 600_000;
    await round(world);
    await round(world);
    // What the last round removed is forgotten in the next.
    await round(world);
    return isSettled(world);
  });
  await t.resolves(fc.assert(walk, { numRuns: 150 }));
});
