import type { ProgressEvent } from "../../result/run_event.ts";

/** Less than this part of the run says nothing about the rest of it. */
const LEAST_FRACTION = 0.02;

/** Reckons how long a run still takes from the pace of its steps: what came before them, such as compiling, is done. */
export class RemainingTime {
  #first: { readonly at: number; readonly fraction: number } | null = null;

  /** ms that are left after an event at `at`; null while that is unknown. */
  at({ fraction, stage }: ProgressEvent, at: number): number | null {
    if (fraction === null || fraction >= 1) return null; // what follows the blocks has no steps to reckon with
    if (this.#first === null && (fraction > 0 || stage === "warmup" || stage === "measure")) {
      this.#first = { at, fraction };
    }
    if (this.#first === null) return null;
    const done = fraction - this.#first.fraction;
    return done < LEAST_FRACTION ? null : (at - this.#first.at) / done * (1 - fraction);
  }
}
