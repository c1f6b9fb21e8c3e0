import type { Table } from './table.ts';

interface Remembered<Result> {
  readonly dependencies: readonly unknown[];
  readonly result: Result;
}

/** Remembers what came of a table, by its identity, for as long as what else it came from is the same. */
export class Memo<Result> {
  readonly #results = new WeakMap<Table, Remembered<Result>>();

  /** @param isTrue - says whether a remembered result still holds, beyond its dependencies */
  get(
    raw: Table,
    dependencies: readonly unknown[],
    compute: () => Result,
    isTrue: (result: Result) => boolean = () => true,
  ): Result {
    const known = this.#results.get(raw);
    if (known?.dependencies.every((value, i) => value === dependencies[i]) && isTrue(known.result)) return known.result;
    const result = compute();
    this.#results.set(raw, { dependencies, result });
    return result;
  }
}
