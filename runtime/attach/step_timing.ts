import { PeriodTracker } from "./period_tracker.ts";
import type { CutReason } from "./records.ts";
import { TimingPolicy } from "./timing_policy.ts";

/** A stretch that has ended. */
interface EndedStretch {
  readonly by: CutReason;
  /** Hash of its kernels and render passes; 0 without any. */
  readonly symbol: number;
  /** Wall time without the recorder's own, in ms. */
  readonly wall: number;
  readonly dispatches: number;
  readonly timedDispatches: number;
  /** True if the settings or the program say what ends a step. */
  readonly explicit: boolean;
  /** True if its work may still run. */
  readonly pending: boolean;
}

/** Finds the steps of a running program, and decides which of them are timed. */
export class StepTiming {
  readonly #policy: TimingPolicy;
  readonly #period = new PeriodTracker();
  #marked = false;
  /** Time and dispatches of the current step, which may have several stretches. */
  #wall = 0;
  #ended = false;
  #timed = { dispatches: 0, of: 0 };

  /** @param budget largest slowdown by timing, as a fraction */
  constructor(budget: number) {
    this.#policy = new TimingPolicy(budget);
  }

  /** True if the latest stretch was the last of a step. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Returns whether the next stretch is timed; null for no change. */
  next({ by, symbol, wall, dispatches, timedDispatches, explicit, pending }: EndedStretch): boolean | null {
    this.#ended = false;
    this.#wall += wall;
    this.#timed = { dispatches: this.#timed.dispatches + timedDispatches, of: this.#timed.of + dispatches };
    if (by === "mark") this.#marked = true;
    if (!explicit && by !== "mark" && symbol === 0) return null; // a readback, which belongs to the step before
    if (explicit || (this.#marked ? by === "mark" : this.#period.add(symbol))) {
      this.#ended = true;
      const timing = this.#policy.step(this.#wall, this.#timed, pending);
      this.#wall = 0;
      this.#timed = { dispatches: 0, of: 0 };
      return timing;
    }
    return !this.#marked && this.#period.period === 0 ? this.#policy.unknown(timedDispatches) : null;
  }
}
