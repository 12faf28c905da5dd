import type { ProgressEvent } from "../../result/run_event.ts";

/** Smallest fraction of a run that allows an estimate. */
const LEAST_FRACTION = 0.02;

/** Estimates the remaining time of a run from the pace of its steps, without the stages before them. */
export class RemainingTime {
  #first: { readonly at: number; readonly fraction: number } | null = null;

  /** Returns the remaining ms after an event at `at`; null while unknown. */
  at({ fraction, stage }: ProgressEvent, at: number): number | null {
    if (fraction === null || fraction >= 1) return null; // the stages after the blocks have no steps to estimate from
    if (this.#first === null && (fraction > 0 || stage === "warmup" || stage === "measure")) {
      this.#first = { at, fraction };
    }
    if (this.#first === null) return null;
    const done = fraction - this.#first.fraction;
    return done < LEAST_FRACTION ? null : (at - this.#first.at) / done * (1 - fraction);
  }
}
