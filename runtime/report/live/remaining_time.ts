import type { ProgressEvent } from "../../result/run_event.ts";

/** Smallest fraction of a run that allows an estimate. */
const MIN_FRACTION = 0.02;

/** Estimates the remaining time of a run from its pace so far. There is no estimate before the first step. */
export class RemainingTime {
  #first: { readonly at: number; readonly fraction: number } | null = null;
  #stepped = false;

  /** Returns the remaining ms after an event at `at`; null while unknown. */
  at({ fraction, stage }: ProgressEvent, at: number): number | null {
    if (fraction === null || fraction >= 1) return null;
    this.#first ??= { at, fraction };
    this.#stepped ||= stage === "warmup" || stage === "measure";
    if (!this.#stepped) return null;
    const done = fraction - this.#first.fraction;
    return done < MIN_FRACTION ? null : (at - this.#first.at) / done * (1 - fraction);
  }
}
