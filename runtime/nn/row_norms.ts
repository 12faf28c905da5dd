import { z } from "zod";
import { layerNorm as normalize, rmsNorm as scaleRows } from "../../ops/row_norm.ts";
import { toLayout } from "../../ops/to_layout.ts";
import { sameShape, type Shape, sizeOf } from "../core/shape.ts";
import { positiveInteger } from "../data/checked.ts";
import type { Tensor } from "../graph/op.ts";
import { rowMajor } from "../graph/types.ts";
import { type MarkedLayer, namedShape } from "./layer.ts";
import { type Fail, weightedLayer } from "./leaf_layer.ts";
import { layerOptions } from "./options.ts";

/** Options of {@linkcode rmsNorm}. */
export interface RmsNormOptions {
  /** Sizes of the last dimensions, which are normalised together. Default: the last dimension, of any size. */
  normalizedShape?: number | readonly number[];
  /** Constant added to the variance. Default: 1e-5 for `layerNorm`, 1.1920929e-7 for `rmsNorm`, as in PyTorch. */
  epsilon?: number;
  /** Multiplies by a trained weight. Default: true. */
  elementwiseAffine?: boolean;
}

/** Options of {@linkcode layerNorm}. */
export interface LayerNormOptions extends RmsNormOptions {
  /** Adds a trained bias if there is a weight. Default: true. */
  bias?: boolean;
}

const flag = z.boolean({ error: "expected true or false" });
/** Schema of the constant added to a variance. */
export const epsilon = z.number({ error: "expected a number" }).positive({ error: "expected more than 0" });
const normalizedShape = z.union([positiveInteger, z.array(positiveInteger).min(1)], {
  error: "expected the size of the last dimension, or the sizes of the last dimensions",
}).transform((size): Shape => typeof size === "number" ? [size] : size).optional();

const rmsSchema = z.strictObject({
  normalizedShape,
  epsilon: epsilon.default(1.1920929e-7),
  elementwiseAffine: flag.default(true),
});

const layerSchema = z.strictObject({
  normalizedShape,
  epsilon: epsilon.default(1e-5),
  elementwiseAffine: flag.default(true),
  bias: flag.default(true),
});

/**
 * Creates a layer normalisation of the last dimensions (J. Ba et al., 2016). Parameters: `weight`, initially 1, and `bias`,
 * initially 0, of the normalised shape.
 *
 * @throws {InputError} if an option is invalid; on application, if the input does not have the normalised shape
 */
export function layerNorm(options: LayerNormOptions = {}): MarkedLayer {
  const { bias, ...rest } = layerOptions("layerNorm", layerSchema, options);
  return rowNorm("layerNorm", "layer_norm", rest, bias, (x, weight, bias, attrs) => normalize(x, weight, bias, attrs));
}

/**
 * Creates a root-mean-square normalisation of the last dimensions (B. Zhang and R. Sennrich, 2019). Parameter: `weight`,
 * initially 1, of the normalised shape.
 *
 * @throws {InputError} if an option is invalid; on application, if the input does not have the normalised shape
 */
export function rmsNorm(options: RmsNormOptions = {}): MarkedLayer {
  const rest = layerOptions("rmsNorm", rmsSchema, options);
  return rowNorm("rmsNorm", "rms_norm", rest, false, (x, weight, _bias, attrs) => scaleRows(x, weight, attrs));
}

function rowNorm(
  name: string,
  type: string,
  options: z.output<typeof rmsSchema>,
  bias: boolean,
  apply: (
    x: Tensor,
    weight: Tensor | null,
    bias: Tensor | null,
    attrs: { epsilon: number; dimensions: number },
  ) => Tensor,
): MarkedLayer {
  const { normalizedShape, epsilon, elementwiseAffine } = options;
  const dimensions = normalizedShape?.length ?? 1;
  const rowOf = (shape: Shape, fail: Fail): Shape => {
    const row = shape.slice(-dimensions);
    if (shape.length <= dimensions || (normalizedShape !== undefined && !sameShape(row, normalizedShape))) {
      const expected = normalizedShape === undefined ? "features]" : `${normalizedShape.join(", ")}]`;
      throw fail(`${name} expects an input [n, ..., ${expected}, got ${namedShape(shape)}`);
    }
    return row;
  };
  return weightedLayer<{ weight: Tensor | null; bias: Tensor | null }>({
    type,
    unit: "features",
    size: (shape, fail) => sizeOf(rowOf(shape, fail)),
    create(make, x, fail) {
      const kind = rowMajor(rowOf(x.shape, fail), "f32");
      return {
        weight: elementwiseAffine ? make.parameter("weight", kind, { kind: "constant", value: 1 }) : null,
        bias: elementwiseAffine && bias ? make.parameter("bias", kind, { kind: "constant", value: 0 }) : null,
      };
    },
    apply: (x, { weight, bias }) => apply(toLayout(x, "row"), weight, bias, { epsilon, dimensions }),
  });
}
