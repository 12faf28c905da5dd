/** A step must be faster than the best before it by this part, for times to be getting better still. */
const GAIN = 0.05;

/** Steps without a gain after which times are steady. */
const PATIENCE = 3;

/**
 * Tells when step times have stopped to fall. What warms up, compiled code, caches, queues, clock rates, makes the first
 * steps longer; the rest of what makes steps longer, such as other programs, comes and goes. So the best time counts: it
 * is steady once some steps in a row bring none that is better by more than a little.
 */
export class Steadiness {
  #best = Infinity;
  #since = 0;

  /** @param time ms of a step, or the mean over a sink of `steps` */
  add(time: number, steps = 1): void {
    this.#since = time < this.#best * (1 - GAIN) ? 0 : this.#since + steps;
    this.#best = Math.min(this.#best, time);
  }

  get steady(): boolean {
    return this.#since >= PATIENCE;
  }
}
