/** What a round says about the next one. */
export interface RoundEnd {
  /** How long the loop may sleep before the next round, in milliseconds. A wake comes sooner. */
  readonly sleepMs: number;
}

/**
 * Runs rounds: one at a time, never two at once. Wakes carry no data and coalesce: however many arrive while a round
 * runs, one more round follows.
 */
export class Loop<End extends RoundEnd> {
  readonly #round: () => Promise<End>;
  #running: Promise<void> | undefined;
  #woken = false;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;
  #waiters: ((end: End) => void)[] = [];
  #startedMs = 0;

  /** @param round - one round; it handles its own errors, since a rejection ends the loop */
  constructor(round: () => Promise<End>) {
    this.#round = round;
  }

  /** Asks for a round soon. */
  wake(): void {
    if (this.#stopped) return;
    this.#woken = true;
    this.#running ??= this.#run();
  }

  /** Asks for a round and waits for the end of one that began after this call. Never settles once the loop has stopped. */
  async round(): Promise<End> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      this.wake();
    });
  }

  /** How long the round that is running has been running, in milliseconds; 0 when none is. */
  busyMs(nowMs: number): number {
    return this.#running === undefined ? 0 : nowMs - this.#startedMs;
  }

  /** Begins no more rounds; settles when the one that is running has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    let sleepMs = 0;
    while (this.#woken && !this.#stopped) {
      // A turn of the event loop, so that a burst of wakes becomes one round.
      await new Promise(setImmediate);
      this.#woken = false;
      const waiters = this.#waiters;
      this.#waiters = [];
      this.#startedMs = performance.now();
      const end = await this.#round();
      sleepMs = end.sleepMs;
      for (const settle of waiters) settle(end);
    }
    this.#running = undefined;
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.wake();
    }, sleepMs);
  }
}
