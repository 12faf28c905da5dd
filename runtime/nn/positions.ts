import { z } from "zod";
import { sinusoidalPositions as addSinusoids } from "../../ops/sinusoidal_positions.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** Schema of the base of the frequencies. */
export const frequencyBase = z.number({ error: "expected a number" }).gt(1, { error: "expected more than 1" })
  .default(10_000);

const schema = z.strictObject({ base: frequencyBase });

/** Options of {@linkcode sinusoidalPositions}. */
export interface SinusoidalOptions {
  /** Ratio of the first frequency to one past the last. Default: 10000. */
  base?: number;
}

/**
 * Creates sinusoidal positions (A. Vaswani et al., 2017): adds sin(p base^(-2k / features)) to feature 2k of each position p
 * of `[n, t, features]`, and the cosine to feature 2k + 1. No parameters.
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank
 */
export function sinusoidalPositions(options: SinusoidalOptions = {}): MarkedLayer {
  const { base } = layerOptions("sinusoidalPositions", schema, options);
  return plainLayer({
    type: "sinusoidal_positions",
    apply(x, fail) {
      if (x.shape.length === 3) return addSinusoids(x, base);
      throw fail(`sinusoidalPositions expects an input [n, t, features], got ${namedShape(x.shape)}`);
    },
  });
}
