import type { Destination, DestinationKey } from '../model/destination.ts';
import type { Failure, Operation, Plan } from '../model/operation.ts';
import type { LiveDestination, LiveServiceState, LiveState } from '../model/state.ts';
import { zeroStatistics } from '../model/statistics.ts';
import { type VirtualServiceId, type VirtualServiceKey, virtualServiceKey } from '../model/virtual-service.ts';
import { failureMessage } from './failure-message.ts';
import type { Kernel, SnapshotOptions } from './kernel.ts';
import { memoryRefusal } from './memory-refusal.ts';
import { type MemoryService, changeMemoryTable, memoryTable } from './memory-table.ts';

/** The in-memory twin, with what tests need to play the rest of the world. */
export interface MemoryKernel extends Kernel {
  readonly kind: 'memory';
  /** Every operation that was carried out, in order. Tests may empty it. */
  readonly log: Operation[];
  /** Sets how many connections a destination has. As in the kernel, they outlive its removal and find it again. */
  setConnections(id: VirtualServiceId, key: DestinationKey, active: number, inactive: number): void;
  /** Makes operations fail: the errno by name for those that should, undefined for the others. Replaces what was there. */
  refuse(refusal: (operation: Operation) => string | undefined): void;
}

interface Connections {
  readonly active: number;
  readonly inactive: number;
}

const noConnections: Connections = { active: 0, inactive: 0 };

/** A kernel in memory that starts empty, for tests and for trying things out. It refuses what the real one refuses. */
export function memoryKernel(): MemoryKernel {
  const table = memoryTable();
  const connections = new Map<string, Connections>();
  const log: Operation[] = [];
  let injected: (operation: Operation) => string | undefined = () => undefined;

  const attempt = (operation: Operation): readonly Failure[] => {
    const code = injected(operation) ?? memoryRefusal(table, operation);
    if (code !== undefined) return [{ operation, code, message: failureMessage(operation, code) }];
    changeMemoryTable(table, operation);
    log.push(operation);
    return [];
  };

  return {
    kind: 'memory',
    log,
    info: () => Promise.resolve({ release: 'memory', ipvsVersion: '1.2.1', connectionTableSize: 4096 }),
    snapshot: (options: SnapshotOptions = {}) => {
      const keys = options.only?.map(virtualServiceKey) ?? [...table.services.keys()];
      const services = new Map<VirtualServiceKey, LiveServiceState>();
      for (const key of keys) {
        const service = table.services.get(key);
        if (service !== undefined) services.set(key, report(key, service, connections, options));
      }
      return Promise.resolve({ services, timeouts: table.timeouts } satisfies LiveState);
    },
    apply: (plan: Plan) => Promise.resolve(plan.flatMap(attempt)),
    close: () => undefined,
    setConnections: (id, key, active, inactive) => {
      connections.set(`${virtualServiceKey(id)} ${key}`, { active, inactive });
    },
    refuse: (refusal) => {
      injected = refusal;
    },
  };
}

function report(
  serviceKey: VirtualServiceKey,
  { service, destinations }: MemoryService,
  connections: ReadonlyMap<string, Connections>,
  options: SnapshotOptions,
): LiveServiceState {
  const statistics = options.statistics === true ? { statistics: zeroStatistics } : {};
  const live = ([key, destination]: [DestinationKey, Destination]): [DestinationKey, LiveDestination] => {
    const { active, inactive } = connections.get(`${serviceKey} ${key}`) ?? noConnections;
    const counts = { activeConnections: active, inactiveConnections: inactive, persistentConnections: 0 };
    return [key, { ...destination, ...counts, ...statistics }];
  };
  // The kernel inserts at the head of its list, so it reports the newest first.
  const shown = options.servicesOnly === true ? [] : [...destinations].reverse();
  return { service, destinations: new Map(shown.map(live)), ...statistics };
}
