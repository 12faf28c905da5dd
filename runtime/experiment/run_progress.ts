import type { Emit, ProgressEvent, SoFar } from "../result/run_event.ts";

/** Expected time of the ablations of a variant, until the first shows how long they take here: ms. */
const ABLATION_MS = 8000;

/** What is expected of a run. */
export interface ExpectedWork {
  readonly steps: number;
  /** Variants with ablations behind the blocks. */
  readonly ablated: number;
  /** Clock in ms, for tests. */
  readonly now?: () => number;
}

/** Where a run stands, as events. */
export class RunProgress {
  readonly #emit: Emit;
  readonly #total: number;
  readonly #now: () => number;
  #done = 0;
  /** When steps began. */
  #began: number | null = null;
  /** When the first ablation began. */
  #ablationsBegan: number | null = null;
  /** Expected time of the ablations to come: ms. */
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

  /** A round of a variant with parts of its step taken away; `done` variants of `all`, this one in part. */
  ablation(variant: string, done: number, all: number, message: string): void {
    const now = this.#now();
    this.#ablationsBegan ??= now;
    const each = done > 0 ? (now - this.#ablationsBegan) / done : ABLATION_MS;
    this.#ablationsLeft = Math.max(0, all - done) * each;
    const fraction = this.#partOfTime(0);
    this.#emit({ type: "progress", variant, stage: "profile", step: 0, steps: 0, message, fraction });
  }

  /**
   * The part of the run that is done, by `steps`, the part of its steps. What follows them takes its time however long
   * a step takes, so that the two are added up in ms.
   */
  #fraction(steps: number): number {
    if (this.#ablationsBegan !== null) return this.#partOfTime(0);
    if (this.#ablationsLeft === 0) return steps;
    if (this.#began === null || steps === 0) return 0;
    return this.#partOfTime((this.#now() - this.#began) / steps * (1 - steps));
  }

  /** @param left ms that steps still take */
  #partOfTime(left: number): number {
    const elapsed = this.#now() - (this.#began ??= this.#now());
    const rest = left + this.#ablationsLeft;
    return rest > 0 ? elapsed / (elapsed + rest) : 1;
  }
}
