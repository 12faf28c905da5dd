import type { ProgressEvent, SoFar } from "../core/progress.ts";

/** Where a run stands, as events. */
export class RunProgress {
  readonly #report: (event: ProgressEvent) => void;
  readonly #total: number;
  #done = 0;

  /** @param total steps that are expected */
  constructor(report: (event: ProgressEvent) => void, total: number) {
    this.#report = report;
    this.#total = Math.max(1, total);
  }

  /** Some steps are done, or will not be needed. */
  advance(steps: number): void {
    this.#done += steps;
  }

  at(
    variant: string | null,
    stage: ProgressEvent["stage"],
    step = 0,
    steps = 0,
    more: { readonly message?: string; readonly soFar?: SoFar | null } = {},
  ): void {
    const inBlock = stage === "measure" ? step : 0;
    const fraction = stage === "data" ? null : Math.min(1, (this.#done + inBlock) / this.#total);
    const { message, soFar = null } = more;
    this.#report({
      variant,
      stage,
      step,
      steps,
      fraction,
      ...(message === undefined ? {} : { message }),
      ...(soFar === null ? {} : { soFar }),
    });
  }
}
