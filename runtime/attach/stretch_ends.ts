import type { Steps } from "./settings.ts";

/** Submits without a wait after which each submit ends a stretch. */
const SUBMITS_WITHOUT_WAIT = 16;

/** Decides which events of a program end a stretch. */
export class StretchEnds {
  readonly #steps: Steps;
  #called = false;
  #submitsSinceWait = 0;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** Event that ends steps. */
  get by(): Steps["by"] {
    return this.#called ? "step" : this.#steps.by;
  }

  /** True if the settings or the program say what ends a step. */
  get explicit(): boolean {
    return this.by !== "auto";
  }

  /** Number of submits since the last wait for the device. */
  get pending(): number {
    return this.#submitsSinceWait;
  }

  /**
   * Returns whether a submit ends a stretch.
   *
   * @param submits number of submits so far, with this one
   */
  submit(submits: number): boolean {
    this.#submitsSinceWait++;
    if (this.#called) return false;
    if (this.#steps.by === "submit") return submits % this.#steps.count === 0;
    return this.#steps.by === "auto" && this.#submitsSinceWait > SUBMITS_WITHOUT_WAIT;
  }

  /**
   * Returns whether a wait ends a stretch.
   *
   * @param later submits since the wait began
   */
  wait(later = 0): boolean {
    const ends = this.#submitsSinceWait > later && (this.by === "auto" || this.by === "wait");
    this.#submitsSinceWait = Math.min(this.#submitsSinceWait, later);
    return ends;
  }

  /** Returns whether a mark ends a stretch. */
  mark(): boolean {
    return this.by === "auto" || this.by === "mark";
  }

  /** Notes a call to the profiler, which from then on alone ends stretches. */
  call(): void {
    this.#called = true;
  }
}
