import { z } from "zod";
import { linear as multiply } from "../../ops/linear.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { isImages, rowMajor, type TensorType } from "../graph/types.ts";
import {
  initializerSchema,
  type InitializerSpec,
  resolveInitializer,
  TORCH_WEIGHT,
  torchBias,
} from "./initializers.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { weightedLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** Options of {@linkcode linear}. */
export interface LinearOptions {
  /** Adds a bias. Default: true. */
  bias?: boolean;
  /** Keeps the weight as `[in, features]`, as Keras and Hugging Face's `Conv1D` do. Default: false. */
  transposed?: boolean;
  /** Initialiser of the weight. Default: PyTorch's. */
  init?: InitializerSpec;
  /** Initialiser of the bias. Default: PyTorch's. */
  biasInit?: InitializerSpec;
}

const schema = z.strictObject({
  features: positiveInteger,
  bias: z.boolean({ error: "expected true or false" }).default(true),
  transposed: z.boolean({ error: "expected true or false" }).default(false),
  init: initializerSchema.default(TORCH_WEIGHT),
  biasInit: initializerSchema.optional(),
});

/**
 * Creates a linear layer, `y = x weight^T + bias`: `[n, ..., in]` to `[n, ..., features]`. Parameters: `weight`
 * `[features, in]`, or `[in, features]` if `transposed`, and `bias` `[features]`.
 *
 * @throws {InputError} if an option is invalid; on application, if the input does not fit
 */
export function linear(features: number, options: LinearOptions = {}): MarkedLayer {
  const { bias, transposed, init, biasInit } = layerOptions("linear", schema, options, { features });
  return weightedLayer<{ weight: Tensor; bias: Tensor | null }>({
    type: "linear",
    unit: "features",
    size(shape, fail) {
      if (shape.length < 2) throw fail(`linear expects an input [n, ..., features], got ${namedShape(shape)}`);
      return shape.at(-1)!;
    },
    create(make, x) {
      const shape = [features, x.shape.at(-1)!];
      const start = resolveInitializer(biasInit ?? torchBias(shape), [features]);
      const type: TensorType = transposed ? rowMajor(shape.toReversed(), "f32") : { shape, dtype: "f32", layout: "io" };
      return {
        weight: make.parameter("weight", type, resolveInitializer(init, shape)),
        bias: bias ? make.parameter("bias", rowMajor([features], "f32"), start) : null,
      };
    },
    apply(x, { weight, bias }, fail) {
      if (isImages(x.type)) {
        throw fail(
          `linear expects an input [n, ..., features], got images ${
            namedShape(x.shape)
          }; put flatten() before it, or ` +
            "transpose(x, [0, 2, 3, 1]) to apply it to the channels of each pixel",
        );
      }
      return multiply(x, weight, bias);
    },
  });
}
