import type { Emit, ProgressEvent, SoFar } from "../result/run_event.ts";

/** Expected time of the ablations of a variant before the first was measured, in ms. */
const ABLATION_MS = 8000;

/** Expected amount of work of a run. */
export interface ExpectedWork {
  readonly steps: number;
  /** Number of variants to ablate. */
  readonly ablated: number;
  /** Clock in ms, for tests. */
  readonly now?: () => number;
}

/** Emits the progress of a run as events. */
export class RunProgress {
  readonly #emit: Emit;
  #total: number;
  readonly #now: () => number;
  #done = 0;
  /** Time of the first step. */
  #began: number | null = null;
  /** Time of the first ablation. */
  #ablationsBegan: number | null = null;
  /** Expected time of the remaining ablations, in ms. */
  #ablationsLeft: number;

  constructor(
    emit: Emit,
    { steps, ablated, now = () => performance.now() }: ExpectedWork,
  ) {
    this.#emit = emit;
    this.#total = Math.max(1, steps);
    this.#ablationsLeft = ablated * ABLATION_MS;
    this.#now = now;
  }

  /** Counts steps as done, or as not needed. */
  advance(steps: number): void {
    this.#done += steps;
  }

  /** Sets the number of steps that are expected to follow, which may differ from that at the start. */
  expect(steps: number): void {
    this.#total = Math.max(1, this.#done + steps);
  }

  at(
    variant: string | null,
    stage: ProgressEvent["stage"],
    step = 0,
    steps = 0,
    more: { readonly message?: string; readonly soFar?: SoFar | null } = {},
  ): void {
    const inBlock = stage === "measure" ? step : 0;
    if (stage === "warmup" || stage === "measure") this.#began ??= this.#now();
    const fraction = stage === "data" ? null : this.#fraction(Math.min(1, (this.#done + inBlock) / this.#total));
    const { message, soFar = null } = more;
    this.#emit({
      type: "progress",
      variant,
      stage,
      step,
      steps,
      fraction,
      ...(message === undefined ? {} : { message }),
      ...(soFar === null ? {} : { soFar }),
    });
  }

  /** Reports a round of ablations; `done` of `all` variants are complete, counting this one fractionally. */
  ablation(variant: string, done: number, all: number, message: string): void {
    const now = this.#now();
    this.#ablationsBegan ??= now;
    const each = done > 0 ? (now - this.#ablationsBegan) / done : ABLATION_MS;
    this.#ablationsLeft = Math.max(0, all - done) * each;
    const fraction = this.#partOfTime(0);
    this.#emit({ type: "progress", variant, stage: "profile", step: 0, steps: 0, message, fraction });
  }

  /**
   * Returns the fraction of the run that is done, given the fraction of its steps. Ablations take the same time regardless
   * of the step time, so both are added up in ms.
   */
  #fraction(steps: number): number {
    if (this.#ablationsBegan !== null) return this.#partOfTime(0);
    if (this.#ablationsLeft === 0) return steps;
    if (this.#began === null || steps === 0) return 0;
    return this.#partOfTime((this.#now() - this.#began) / steps * (1 - steps));
  }

  /** @param left expected time of the remaining steps, in ms */
  #partOfTime(left: number): number {
    const elapsed = this.#now() - (this.#began ??= this.#now());
    const rest = left + this.#ablationsLeft;
    return rest > 0 ? elapsed / (elapsed + rest) : 1;
  }
}
