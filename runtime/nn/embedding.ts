import { z } from "zod";
import { add } from "../../ops/add.ts";
import { cast } from "../../ops/cast.ts";
import { lookUp } from "../../ops/gather.ts";
import { slice } from "../../ops/slice.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { rowMajor } from "../graph/types.ts";
import { initializerSchema, type InitializerSpec, normal, resolveInitializer } from "./initializers.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { weightedLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** Options of {@linkcode learnedPositions}. */
export interface PositionsOptions {
  /** Initialiser of the weight. Default: the standard normal distribution, as in PyTorch. */
  init?: InitializerSpec;
}

/** Options of {@linkcode embedding}. */
export interface EmbeddingOptions extends PositionsOptions {
  /** Index of padding: its row starts at 0 and has no gradient. A negative one counts from the end. Default: null. */
  paddingIdx?: number | null;
}

const init = initializerSchema.default(normal(0, 1));
const embeddingSchema = z.strictObject({
  numEmbeddings: positiveInteger,
  embeddingDim: positiveInteger,
  paddingIdx: z.int({ error: "expected a whole number or null" }).nullable().default(null),
  init,
}).refine(({ numEmbeddings: n, paddingIdx: i }) => i === null || (i >= -n && i < n), {
  path: ["paddingIdx"],
  error: "expected an index below numEmbeddings",
});
const positionsSchema = z.strictObject({ length: positiveInteger, init });

/**
 * Creates an embedding: looks up a row of `weight` for each index, `[n, ...]` to `[n, ..., embeddingDim]`. Parameter:
 * `weight` `[numEmbeddings, embeddingDim]`. Indices are i32, or whole numbers in another type; an index of the data out of
 * range is an error, one that the model computes takes the nearest row.
 *
 * @throws {InputError} if an option is invalid
 */
export function embedding(numEmbeddings: number, embeddingDim: number, options: EmbeddingOptions = {}): MarkedLayer {
  const { init, paddingIdx } = layerOptions("embedding", embeddingSchema, options, { numEmbeddings, embeddingDim });
  const padding = paddingIdx !== null && paddingIdx < 0 ? paddingIdx + numEmbeddings : paddingIdx;
  const shape = [numEmbeddings, embeddingDim];
  return weightedLayer<Tensor>({
    type: "embedding",
    unit: "indices",
    size: () => numEmbeddings,
    create(make) {
      const start = resolveInitializer(init, shape);
      return make.parameter(
        "weight",
        rowMajor(shape, "f32"),
        padding === null ? start : { ...start, zeroRow: padding },
      );
    },
    apply: (x, weight) => lookUp(weight, cast(x, "i32"), padding),
  });
}

/**
 * Creates learned positions: adds row t of `weight` to each position t of `[n, t, features]`. Parameter: `weight`
 * `[length, features]`; the input may be shorter than `length`.
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank or is too long
 */
export function learnedPositions(length: number, options: PositionsOptions = {}): MarkedLayer {
  const { init } = layerOptions("learnedPositions", positionsSchema, options, { length });
  return weightedLayer<Tensor>({
    type: "learned_positions",
    unit: "features",
    size(shape, fail) {
      if (shape.length !== 3 || shape[1]! > length) {
        throw fail(
          `learnedPositions expects an input [n, t, features] with at most ${length} positions, got ${
            namedShape(shape)
          }`,
        );
      }
      return shape[2]!;
    },
    create(make, x) {
      const shape = [length, x.shape[2]!];
      return make.parameter("weight", rowMajor(shape, "f32"), resolveInitializer(init, shape));
    },
    apply: (x, weight) => add(x, slice(weight, [[0, x.shape[1]!]])),
  });
}
