/** Relative improvement of the best time that counts as a gain. */
const GAIN = 0.05;

/** Number of steps without a gain after which times are steady. */
const PATIENCE = 3;

/**
 * Detects when step times stop falling. Compilation, caches, queues and clock rates slow down the first steps; other
 * programs slow down steps at random. Therefore the best time counts: times are steady after several steps without a gain.
 */
export class Steadiness {
  #best = Infinity;
  #since = 0;

  /** Adds the time of a step in ms, or the mean over a sink of `steps` steps. */
  add(time: number, steps = 1): void {
    this.#since = time < this.#best * (1 - GAIN) ? 0 : this.#since + steps;
    this.#best = Math.min(this.#best, time);
  }

  get steady(): boolean {
    return this.#since >= PATIENCE;
  }
}
