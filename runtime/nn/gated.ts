/**
 * Activations with a weight or a gate.
 *
 * @module
 */
import { z } from "zod";
import { add } from "../../ops/add.ts";
import { mul } from "../../ops/arithmetic.ts";
import { maximum, minimum } from "../../ops/choice.ts";
import { split } from "../../ops/concat.ts";
import { reshape } from "../../ops/reshape.ts";
import { silu } from "../../ops/silu.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { rowMajor } from "../graph/types.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { plainLayer, weightedLayer } from "./leaf_layer.ts";
import { layerOptions, noOptions } from "./options.ts";

const preluSchema = z.strictObject({
  numParameters: positiveInteger.default(1),
  init: z.number({ error: "expected a number" }).default(0.25),
});

/**
 * Creates a ReLU with a trained slope below 0 (K. He et al., 2015): `max(x, 0) + weight min(x, 0)`. Parameter: `weight`
 * `[numParameters]`, initially `init`: one number, or one for each channel of `[n, c, ...]`.
 *
 * @throws {InputError} if an option is invalid; on application, if the numbers of parameters and channels differ
 */
export function prelu(options: { numParameters?: number; init?: number } = {}): MarkedLayer {
  const { numParameters, init } = layerOptions("prelu", preluSchema, options);
  return weightedLayer<Tensor>({
    type: "prelu",
    unit: "channels",
    size(shape, fail) {
      if (numParameters !== 1 && shape[1] !== numParameters) {
        throw fail(`prelu expects an input [n, ${numParameters}, ...], got ${namedShape(shape)}`);
      }
      return numParameters;
    },
    create: (make) => make.parameter("weight", rowMajor([numParameters], "f32"), { kind: "constant", value: init }),
    apply(x, weight) {
      const slope = numParameters === 1 ? weight : reshape(weight, [numParameters, ...x.shape.slice(2).map(() => 1)]);
      return add(maximum(x, 0), mul(slope, minimum(x, 0)));
    },
  });
}

/**
 * Creates a gated SiLU (N. Shazeer, 2020): halves the last dimension and returns `silu(first) second`, `[..., 2 f]` to
 * `[..., f]`.
 */
export function swiglu(): MarkedLayer {
  noOptions("swiglu", arguments);
  return plainLayer({
    type: "swiglu",
    apply(x, fail) {
      if (x.shape.length < 2 || x.shape.at(-1)! % 2 !== 0) {
        throw fail(`swiglu expects an input [n, ..., 2 f], got ${namedShape(x.shape)}`);
      }
      const [gate, value] = split(x, 2, -1) as [Tensor, Tensor];
      return mul(silu(gate), value);
    },
  });
}
