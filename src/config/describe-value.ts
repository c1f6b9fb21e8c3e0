const longest = 60;

/** What a person wrote, in words short enough for an error message: `"tpc"`, `70000`, `a table`. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > longest ? `${value.slice(0, longest)}…` : value);
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return value instanceof Date ? 'a date' : 'a table';
  }
}
