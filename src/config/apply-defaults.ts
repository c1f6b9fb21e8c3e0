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
  return {
    identity: defaults,
    check: forCheck,
    pool: (raw) => withServers(withCheck(raw), 'servers'),
    service: (raw) => withServers(withCheck({ ...forService, ...raw }), 'server'),
  };
}

function pick(table: Table, keys: readonly string[]): Table {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(table, key)).map((key) => [key, table[key]]));
}
