import { InputError } from "../../core/errors.ts";
import { RandomStream } from "../../core/random.ts";
import type { MapSample } from "./transform.ts";

const FIX = "lower data.cache.after, so that the function comes after the cache";

/**
 * Returns the arguments of a user's function for a sample that a cache keeps for all epochs: reading the epoch or drawing a
 * random number throws.
 */
export function cacheable(values: Omit<MapSample, "epoch">): [sample: MapSample, random: RandomStream] {
  const sample = {
    ...values,
    get epoch(): number {
      throw new InputError(`it reads sample.epoch, but a cache keeps its results for all epochs; ${FIX}`);
    },
  };
  return [sample, NO_RANDOM];
}

const NO_RANDOM = new Proxy(new RandomStream(0, 0, 0), {
  get(): never {
    throw new InputError(`it draws random numbers, but a cache keeps its results for all epochs; ${FIX}`);
  },
});
