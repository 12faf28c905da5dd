/** Shortest interval, in ms. */
const FIRST = 50;

/** Longest interval, in ms. */
const LAST = 1000;

/**
 * Says when something that costs time is due again: soon in a program that may live for only a moment, and rarely in one that
 * runs for long.
 */
export class GrowingInterval {
  #last = -Infinity;
  #interval = FIRST;

  /** Returns true if the interval has passed since the last time. */
  due(time: number): boolean {
    return time - this.#last > this.#interval;
  }

  /** Begins the next interval, twice as long, up to a second. */
  begin(time: number): void {
    if (this.#last !== -Infinity) this.#interval = Math.min(LAST, 2 * this.#interval);
    this.#last = time;
  }
}
