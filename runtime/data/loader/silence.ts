import type { Ring } from "./ring.ts";

/** How long the worker that makes a batch has given no sign of life. */
export class Silence {
  readonly #ring: Ring;
  #worker: number | null = null;
  #beats = -1;
  /** Counted in slices, not by the clock: a suspended process has not waited. */
  #ms = 0;

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** Another `ms` milliseconds have passed; returns how long it has been silent. */
  add(worker: number | null, ms: number): number {
    const beats = worker === null ? -1 : this.#ring.beats(worker);
    if (worker !== this.#worker || beats !== this.#beats) this.#ms = 0;
    this.#worker = worker;
    this.#beats = beats;
    return this.#ms += ms;
  }
}
