import { z } from "zod";
import { batchNorm as normalize } from "../../ops/batch_norm.ts";
import { reshape, reshapeTo } from "../../ops/reshape.ts";
import type { Tensor } from "../graph/op.ts";
import { rowMajor } from "../graph/types.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { weightedLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** Options of {@linkcode batchNorm}. */
export interface BatchNormOptions {
  /** Constant added to the variance. Default: 1e-5. */
  epsilon?: number;
  /** Weight of a batch's statistics in the running statistics, as in PyTorch. Default: 0.1. */
  momentum?: number;
}

const schema = z.strictObject({
  epsilon: z.number({ error: "expected a number" }).positive({ error: "expected more than 0" }).default(1e-5),
  momentum: z.number({ error: "expected a number" })
    .min(0, { error: "expected at least 0" }).max(1, { error: "expected at most 1" }).default(0.1),
});

interface Weights {
  readonly gamma: Tensor;
  readonly beta: Tensor;
  readonly runningMean: Tensor;
  readonly runningVariance: Tensor;
}

/**
 * Creates a batch normalisation of `[n, c, h, w]`, `[n, c, length]` or `[n, c]` over all dimensions except the channels
 * (S. Ioffe and C. Szegedy, 2015). Parameters: `weight` `[c]`, initially 1, and `bias` `[c]`, initially 0. State:
 * `running_mean` and `running_var` `[c]`. Names are PyTorch's.
 *
 * @throws {InputError} if an option is invalid; on application, if the input has another rank
 */
export function batchNorm(options: BatchNormOptions = {}): MarkedLayer {
  const { epsilon, momentum } = layerOptions("batchNorm", schema, options);
  return weightedLayer<Weights>({
    type: "batch_norm",
    unit: "channels",
    size(shape, fail) {
      if (shape.length < 2 || shape.length > 4) {
        throw fail(`batchNorm expects an input [n, c, h, w], [n, c, length] or [n, c], got ${namedShape(shape)}`);
      }
      return shape[1]!;
    },
    create(make, x) {
      const type = rowMajor([x.shape[1]!], "f32");
      const zero = { kind: "constant", value: 0 } as const;
      const one = { kind: "constant", value: 1 } as const;
      return {
        gamma: make.parameter("weight", type, one),
        beta: make.parameter("bias", type, zero),
        runningMean: make.state("running_mean", type, zero),
        runningVariance: make.state("running_var", type, one),
      };
    },
    apply(x, weights) {
      const attrs = { epsilon, momentum, activation: "none" } as const;
      if (x.shape.length !== 3) return normalize(x, weights, attrs);
      const [n, c, length] = x.shape as [number, number, number];
      const images = reshapeTo(x, { shape: [n, c, 1, length], layout: x.graph.imageLayout });
      return reshape(normalize(images, weights, attrs), x.shape);
    },
  });
}
