import { median } from "../core/statistics.ts";

/** Steps whose times are remembered to estimate the cost of timing. */
const REMEMBERED = 32;

/** Timed and untimed steps before the cost is estimated. */
const MIN = 3;

/** Timed dispatches after which the distance between timed steps doubles, again and again. */
const DISPATCHES = 100_000;

/** Most doublings of that distance. */
const MAX_DOUBLINGS = 20;

/** Timed dispatches after which a program without steps is no longer timed. */
const MAX_WITHOUT_STEPS = 500_000;

/**
 * Decides which steps are timed: every other one at first, so that the cost of timing is measured in the same run, and
 * fewer where that cost would exceed the budget or the recording would grow without bound.
 */
export class TimingPolicy {
  /** Largest accepted slowdown of the program, as a fraction. */
  readonly #budget: number;
  readonly #timed: number[] = [];
  readonly #untimed: number[] = [];
  #steps = 0;
  #dispatches = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  /**
   * Reports a step and decides on the next one.
   *
   * @param wall time of the step in ms
   * @param timed dispatches that were timed in it, and all its dispatches
   * @param pending true if its work may still run: then two consecutive steps are timed, so that all work in the second one
   *   is known
   */
  step(wall: number, timed: { readonly dispatches: number; readonly of: number }, pending = false): boolean {
    this.#dispatches += timed.dispatches;
    if (timed.of > 0 && timed.dispatches === timed.of) remember(this.#timed, wall);
    else if (timed.dispatches === 0) remember(this.#untimed, wall);
    const together = pending ? 2 : 1;
    return ++this.#steps % (this.stride * together) < together;
  }

  /** Reports dispatches of a program whose steps are not known. Returns true while they are worth timing. */
  unknown(dispatches: number): boolean {
    this.#dispatches += dispatches;
    return this.#dispatches < MAX_WITHOUT_STEPS;
  }

  /** Every how many steps one is timed. */
  get stride(): number {
    const growth = Math.min(MAX_DOUBLINGS, Math.floor(this.#dispatches / DISPATCHES));
    return Math.max(2, this.#strideOfBudget()) * 2 ** growth;
  }

  #strideOfBudget(): number {
    if (this.#timed.length < MIN || this.#untimed.length < MIN) return 2;
    const cost = median(this.#timed) / median(this.#untimed) - 1;
    return cost > 0 ? Math.ceil(cost / this.#budget) : 2;
  }
}

function remember(values: number[], value: number): void {
  values.push(value);
  if (values.length > REMEMBERED) values.shift();
}
