/** Part of a run whose remaining time can be estimated. */
export interface PartOptions {
  /** Number of its units; 0 if the run has no such part. */
  readonly units: number;
  /** Expected time of a unit before one was measured, in ms; null if it is unknown. */
  readonly prior: number | null;
}

/** Expected time of a part of a run: that of its remaining units, at the pace of those that are done. */
export class ExpectedTime {
  #units: number;
  readonly #prior: number | null;
  #done = 0;
  /** Completed fraction of the current unit, or number of completed units that `complete` has not counted yet. */
  #within = 0;
  #spent = 0;

  constructor({ units, prior }: PartOptions) {
    this.#units = units;
    this.#prior = prior;
  }

  /** Adds time that was spent on the part, in ms. */
  spend(ms: number): void {
    this.#spent += ms;
  }

  /** Counts units as done, and ends the current one. */
  complete(units: number): void {
    this.#done += units;
    this.#within = 0;
  }

  /** Sets the progress since the last completed unit, in units. */
  set within(units: number) {
    this.#within = units;
  }

  /** Sets the number of units that are still to come. */
  expect(units: number): void {
    this.#units = this.#done + units;
  }

  /** Counts all units as done. */
  end(): void {
    this.#units = this.#done;
    this.#within = 0;
  }

  /** Completed fraction of the units; 0 without any. */
  get fraction(): number {
    return this.#units <= 0 ? 0 : Math.min(1, (this.#done + this.#within) / this.#units);
  }

  /** Time of a unit in ms; null while unknown. */
  get pace(): number | null {
    const done = this.#done + this.#within;
    return done > 0 && this.#spent > 0 ? this.#spent / done : this.#prior;
  }

  /** Returns the expected time of the remaining units in ms; null while unknown. */
  left(pace: number | null = this.pace): number | null {
    const units = Math.max(0, this.#units - this.#done - this.#within);
    if (units === 0) return 0;
    return pace === null ? null : units * pace;
  }
}
