import type { CheckType } from '../model/check-type.ts';
import { checkShape } from './check-schema.ts';
import { type Table, isTable } from './table.ts';

/** Fills `[defaults]` into tables before they are validated, so that the defaults of the schema come last. */
export interface Defaults {
  /** Identity of the `[defaults]` table, for caches. */
  readonly identity: unknown;
  check(raw: Table): Table;
  pool(raw: Table): Table;
  service(raw: Table): Table;
}

/** @param defaults - the valid `[defaults]` table, or an empty one */
export function applyDefaults(
  defaults: Table,
  serviceKeys: readonly string[],
  types: ReadonlyMap<string, CheckType>,
): Defaults {
  const forService = pick(defaults, serviceKeys);
  const forCheck = (raw: Table): Table => {
    const type = types.get(String(raw['type'] ?? defaults['type']));
    const keys = ['type', ...Object.keys(checkShape), ...Object.keys(type?.options.shape ?? {})];
    return { ...pick(defaults, keys), ...raw };
  };
  const withCheck = (raw: Table): Table => (isTable(raw['check']) ? { ...raw, check: forCheck(raw['check']) } : raw);
  const withServers = (raw: Table, key: string): Table =>
    Array.isArray(raw[key])
      ? { ...raw, [key]: raw[key].map((server: unknown) => (isTable(server) ? withCheck(server) : server)) }
      : raw;
  const forPool = pick(defaults, ['check']);
  // The nearer check wins: that of a pool, which has the default one already, over the default one of its users.
  const forUser = pick(
    forService,
    serviceKeys.filter((key) => key !== 'check'),
  );
  return {
    identity: defaults,
    check: forCheck,
    pool: (raw) => withServers(withCheck({ ...forPool, ...raw }), 'servers'),
    service: (raw) => withServers(withCheck({ ...('pool' in raw ? forUser : forService), ...raw }), 'server'),
  };
}

function pick(table: Table, keys: readonly string[]): Table {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(table, key)).map((key) => [key, table[key]]));
}
