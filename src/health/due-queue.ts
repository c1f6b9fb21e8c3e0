interface Item<T> {
  readonly dueMs: number;
  readonly value: T;
}

/** A priority queue by time: a binary heap, so that tens of thousands of endpoints need one timer. */
export class DueQueue<T> {
  readonly #heap: Item<T>[] = [];

  /** When the first value is due; Infinity when there is none. */
  get nextMs(): number {
    return this.#heap[0]?.dueMs ?? Infinity;
  }

  push(dueMs: number, value: T): void {
    let at = this.#heap.length;
    const item = { dueMs, value };
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = this.#heap[parentAt] as Item<T>;
      if (parent.dueMs <= dueMs) break;
      this.#heap[at] = parent;
      at = parentAt;
    }
    this.#heap[at] = item;
  }

  /** Takes out the first value that is due, if any. */
  take(nowMs: number): T | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    const last = this.#heap.pop() as Item<T>;
    if (this.#heap.length > 0) this.#sink(last);
    return first.value;
  }

  #sink(item: Item<T>): void {
    let at = 0;
    for (;;) {
      let childAt = 2 * at + 1;
      let child = this.#heap[childAt];
      if (child === undefined) break;
      const right = this.#heap[childAt + 1];
      if (right !== undefined && right.dueMs < child.dueMs) {
        child = right;
        childAt += 1;
      }
      if (child.dueMs >= item.dueMs) break;
      this.#heap[at] = child;
      at = childAt;
    }
    this.#heap[at] = item;
  }
}
