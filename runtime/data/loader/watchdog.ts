import type { Ring } from "./ring.ts";

/** Measures how long the worker that makes a batch has given no sign of life. */
export class Watchdog {
  readonly #ring: Ring;
  #worker: number | null = null;
  #beats = -1;
  /** Counted in slices instead of clock time: a suspended process has not waited. */
  #ms = 0;

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** Records that another `ms` milliseconds have passed; returns the milliseconds without a sign of life. */
  add(worker: number | null, ms: number): number {
    const beats = worker === null ? -1 : this.#ring.beats(worker);
    if (worker !== this.#worker || beats !== this.#beats) this.#ms = 0;
    this.#worker = worker;
    this.#beats = beats;
    return this.#ms += ms;
  }
}
