import { getSystemErrorMap } from 'node:util';

/** Error numbers that libuv lacks or names differently, and words that say more than libuv's (include/uapi/asm-generic/errno*.h). */
const own: ReadonlyMap<number, readonly [code: string, words: string]> = new Map([
  [1, ['EPERM', 'operation not permitted']],
  [3, ['ESRCH', 'no such object']],
  [34, ['ERANGE', 'value out of range']],
  [74, ['EBADMSG', 'malformed message']],
  [92, ['ENOPROTOOPT', 'protocol not available']],
  [95, ['EOPNOTSUPP', 'operation not supported']],
  [110, ['ETIMEDOUT', 'timed out']],
]);

const known: ReadonlyMap<number, readonly [code: string, words: string]> = new Map([
  ...[...getSystemErrorMap()].map(([negated, description]) => [-negated, description] as const),
  ...own,
]);

/** The symbolic name of an error number, such as `ENOENT` for 2. */
export function errnoCode(errno: number): string {
  return known.get(errno)?.[0] ?? `E${errno}`;
}

/** An error number in words, such as `no such file or directory` for 2. */
export function errnoWords(errno: number): string {
  return known.get(errno)?.[1] ?? `error ${errno}`;
}
