import { z } from "zod";
import { add } from "../../ops/add.ts";
import { matmul } from "../../ops/matmul.ts";
import { InputError } from "../core/errors.ts";
import type { Tensor } from "../graph/op.ts";
import { rowMajor } from "../graph/types.ts";
import { initializerSchema, type InitializerSpec, resolveInitializer, zeros } from "./initializers.ts";
import { isLayer, kindOf, layerInfo, type MarkedLayer, namedShape } from "./layer.ts";
import { weightedLayer, weightsOf } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** Options of {@linkcode tiedLinear}. */
export interface TiedLinearOptions {
  /** Adds a bias. Default: false. */
  bias?: boolean;
  /** Initialiser of the bias. Default: 0. */
  biasInit?: InitializerSpec;
}

const schema = z.strictObject({
  bias: z.boolean({ error: "expected true or false" }).default(false),
  biasInit: initializerSchema.default(zeros()),
});

/**
 * Creates a linear layer whose weight is that of an embedding (O. Press and L. Wolf, 2017): `y = x weight^T`,
 * `[n, ..., embeddingDim]` to `[n, ..., numEmbeddings]`. The model has the weight once, under the embedding's name; its
 * gradient is the sum of both uses. Parameter: `bias` `[numEmbeddings]`, if there is one.
 *
 * @example
 * ```ts
 * import { embedding, gru, sequential, tiedLinear } from "@tacho/tacho";
 *
 * const words = embedding(1000, 64);
 * const model = sequential({ words, rnn: gru(64), logits: tiedLinear(words) });
 * ```
 *
 * @throws {InputError} if `layer` is not an embedding, or an option is invalid; on application, if the embedding was not
 * applied before, or the input has other features
 */
export function tiedLinear(layer: MarkedLayer, options: TiedLinearOptions = {}): MarkedLayer {
  if (!isLayer(layer) || layerInfo(layer)?.type !== "embedding") {
    throw new InputError(`tiedLinear: expected an embedding, such as embedding(1000, 64), got ${kindOf(layer)}`);
  }
  const { bias, biasInit } = layerOptions("tiedLinear", schema, options);
  return weightedLayer<{ weight: Tensor; bias: Tensor | null }>({
    type: "tied_linear",
    unit: "features",
    size(shape, fail) {
      if (shape.length < 2) throw fail(`tiedLinear expects an input [n, ..., features], got ${namedShape(shape)}`);
      return shape.at(-1)!;
    },
    create(make, x, fail) {
      const weight = weightsOf<Tensor>(layer, x);
      if (weight === null) {
        throw fail("tiedLinear uses an embedding that has not been applied; apply the embedding first");
      }
      const [rows, features] = weight.shape as [number, number];
      if (x.shape.at(-1) !== features) {
        throw fail(
          `tiedLinear expects the embedding's ${features} features in the last dimension, got ${namedShape(x.shape)}`,
        );
      }
      const start = resolveInitializer(biasInit, [rows]);
      return { weight, bias: bias ? make.parameter("bias", rowMajor([rows], "f32"), start) : null };
    },
    apply(x, { weight, bias }) {
      const product = matmul(x, weight, { transposeB: true });
      return bias === null ? product : add(product, bias);
    },
  });
}
