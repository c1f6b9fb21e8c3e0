import { type Steps, toTheEnd } from './steps.ts';

/** One entry of a map that differs: added (no `from`), removed (no `to`) or changed (both). */
export type Change<T> =
  | { readonly key: string; readonly from: undefined; readonly to: T }
  | { readonly key: string; readonly from: T; readonly to: T | undefined };

/** How two maps differ, sorted by key, so that the order of the maps themselves does not matter. */
export function changes<T>(
  from: ReadonlyMap<string, T>,
  to: ReadonlyMap<string, T>,
  isSame: (from: T, to: T) => boolean,
): readonly Change<T>[] {
  return toTheEnd(changesInSteps(from, to, isSame));
}

/** The same in steps of one entry. */
export function* changesInSteps<T>(
  from: ReadonlyMap<string, T>,
  to: ReadonlyMap<string, T>,
  isSame: (from: T, to: T) => boolean,
): Steps<readonly Change<T>[]> {
  const found: Change<T>[] = [];
  for (const [key, after] of to) {
    yield;
    const before = from.get(key);
    if (before === undefined) found.push({ key, from: undefined, to: after });
    else if (!isSame(before, after)) found.push({ key, from: before, to: after });
  }
  for (const [key, before] of from) {
    if (!to.has(key)) found.push({ key, from: before, to: undefined });
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}
