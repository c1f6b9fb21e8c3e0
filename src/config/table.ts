/** A table of a TOML file, as parsed and not yet validated. */
export type Table = Readonly<Record<string, unknown>>;

/** Whether a parsed value is a table. */
export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
