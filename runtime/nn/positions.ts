import { z } from "zod";
import { sinusoidalPositions as addSinusoids } from "../../ops/sinusoidal_positions.ts";
import { positiveInteger } from "../data/checked.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { plainLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** Schema of the base of the frequencies. */
export const frequencyBase = z.number({ error: "expected a number" }).gt(1, { error: "expected more than 1" })
  .default(10_000);

const factor = z.number({ error: "expected a number" }).min(1, { error: "expected 1 or more" });
const periods = z.number({ error: "expected a number" }).positive({ error: "expected a positive number" });

/** Schema of a change of the frequencies of rotary positions. */
export const rotaryScaling = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("linear"), factor }),
  z.strictObject({
    type: z.literal("llama3"),
    factor,
    lowFreqFactor: periods,
    highFreqFactor: periods,
    originalMaxPositionEmbeddings: positiveInteger,
  }).refine(({ lowFreqFactor, highFreqFactor }) => lowFreqFactor < highFreqFactor, {
    path: ["highFreqFactor"],
    error: "expected more than lowFreqFactor",
  }),
], {
  error: 'expected { type: "linear", factor } or { type: "llama3", factor, lowFreqFactor, highFreqFactor, ' +
    "originalMaxPositionEmbeddings }",
});

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
