/**
 * Normalisation of rows: layer norm and root-mean-square norm over the last dimensions, with statistics in f32.
 *
 * @module
 */
import { InputError } from "../runtime/core/errors.ts";
import { formatShape, sameShape, type Shape, sizeOf } from "../runtime/core/shape.ts";
import type { OpDef, OpFacts, Tensor } from "../runtime/graph/op.ts";
import { rowMajor, type TensorType } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { rowsOf as channelsOf } from "./kernels/channel_rows.ts";
import { type RowCode, type RowInput, rowMap } from "./kernels/row_map.ts";
import { rowNormParamsPlan } from "./kernels/row_norm_params.ts";
import { floatOf, inputBuffer, outputBuffer, outputOf } from "./kernels/tensors.ts";
import { reshape } from "./reshape.ts";
import { sum } from "./sum.ts";

export interface RowNormAttrs {
  /** Constant added to the variance. */
  readonly epsilon: number;
  /** Number of dimensions, from the last, that form a row. */
  readonly dimensions: number;
}

export interface RowNormGradAttrs extends RowNormAttrs {
  /** True if the weight is an input. */
  readonly weighted: boolean;
}

export interface RowNormWeightGradAttrs extends RowNormAttrs {
  /** True if the gradient of the bias is the second output. */
  readonly biased: boolean;
}

/** A norm with the ops of its gradients. */
export interface RowNormOp extends OpDef<RowNormAttrs> {
  /** dx from dy, x, mean and deviation, and the weight if any. */
  readonly gradientOp: OpDef<RowNormGradAttrs>;
  /** Gradients of the weight and the bias, f32, from dy, x, mean and deviation. */
  readonly weightGradOp: OpDef<RowNormWeightGradAttrs>;
}

/**
 * Layer norm (J. Ba et al., 2016): y = (x - mean) / sqrt(variance + epsilon) weight + bias. Inputs: x, optional weight and
 * bias of a row's shape. Outputs: y; mean and 1 / sqrt(variance + epsilon), f32, of one number per row.
 */
export const layerNormOp = defineRowNorm("layer_norm", true, { nnc: "LayerNormalization" });

/** Root-mean-square norm (B. Zhang and R. Sennrich, 2019): layer norm without the mean and the bias. */
export const rmsNormOp = defineRowNorm("rms_norm", false, {});

/**
 * Normalises the last dimensions of `x` to mean 0 and variance 1, and multiplies by `weight` and adds `bias`, which have
 * their shape.
 *
 * @throws {InputError} if the weight does not have the shape of the last dimensions
 */
export function layerNorm(
  x: Tensor,
  weight: Tensor | null,
  bias: Tensor | null,
  { epsilon = 1e-5, dimensions = 1 }: Partial<RowNormAttrs> = {},
): Tensor {
  if (weight === null && bias !== null) throw new InputError("layer_norm expects a weight beside the bias");
  const inputs = [x, weight, bias].filter((tensor) => tensor !== null);
  return x.graph.apply(layerNormOp, { epsilon, dimensions }, inputs)[0]!;
}

/** Divides the last dimensions of `x` by their root mean square, and multiplies by `weight`. */
export function rmsNorm(
  x: Tensor,
  weight: Tensor | null,
  { epsilon = 1.1920929e-7, dimensions = 1 }: Partial<RowNormAttrs> = {},
): Tensor {
  return x.graph.apply(rmsNormOp, { epsilon, dimensions }, weight === null ? [x] : [x, weight])[0]!;
}

function defineRowNorm(type: string, centered: boolean, aliases: OpFacts["aliases"]): RowNormOp {
  const flops = centered ? 8 : 5;

  const gradientOp: OpDef<RowNormGradAttrs> = {
    type: `${type}_grad`,
    precision: "wide",
    shape: ([, x]) => [x!],
    cost: (inputs, outputs) => ({
      flops: (flops + 4) * sizeOf(outputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    candidates({ inputs, outputs, attrs, traits }) {
      const { n, width } = rowsOf(inputs[1]!, attrs);
      const given: Record<string, RowInput> = {
        dy: { ...inputBuffer(inputs, 0), kind: "rows" },
        x: { ...inputBuffer(inputs, 1), kind: "rows" },
        ...(centered ? { mean: { ...inputBuffer(inputs, 2), kind: "number" } } : {}),
        deviation: { ...inputBuffer(inputs, 3), kind: "number" },
        ...(attrs.weighted ? { weight: { ...inputBuffer(inputs, 4), kind: "row" } } : {}),
      };
      const reads = ["dy", "x", ...(attrs.weighted ? ["weight"] : [])];
      const values = `let g = ${attrs.weighted ? "dy * weight" : "dy"};
    let h = ${centered ? "(x - mean)" : "x"} * deviation;`;
      return [rowMap({
        name: `${type}.grad`,
        ...{ n, width, traits },
        inputs: given,
        outputs: { dx: outputBuffer(outputs, 0) },
        uniforms: { scale: { f32: 1 / width } },
        body: ({ each, write, sum }) =>
          `var gs = T();
  var products = T();
  ${each(reads, `${values}\n    gs += g;\n    products += g * h;`)}
  ${centered ? `let shift = ${sum("gs")} * u.scale;` : ""}
  let slope = ${sum("products")} * u.scale;
  ${write(reads, "dx", `deviation * (g${centered ? " - shift" : ""} - h * slope)`, { before: values })}`,
      })];
    },
  };

  const weightGradOp: OpDef<RowNormWeightGradAttrs> = {
    type: `${type}_weight_grad`,
    precision: "wide",
    // Both tools compute the gradients of x, weight and bias in one op
    aliases: { paddle: `${type}_grad`, mindinsight: centered ? "LayerNormGrad" : "RmsNormGrad" },
    shape([, x], { dimensions, biased }) {
      const row = rowMajor(x!.shape.slice(-dimensions), "f32");
      return biased ? [row, row] : [row];
    },
    cost: (inputs, outputs) => ({
      flops: (3 + outputs.length) * sizeOf(inputs[0]!.shape),
      bytes: bytesOf(...inputs, ...outputs),
    }),
    candidates({ inputs, outputs, attrs, traits }) {
      const { n, width } = rowsOf(inputs[1]!, attrs);
      return [rowNormParamsPlan({
        name: `${type}.weight_grad`,
        shape: channelsOf(rowMajor([n, width], floatOf(inputs[0]!, type)), width, traits),
        dy: inputBuffer(inputs, 0),
        x: inputBuffer(inputs, 1),
        mean: centered ? inputBuffer(inputs, 2) : null,
        deviation: inputBuffer(inputs, 3),
        dw: outputBuffer(outputs, 0),
        db: attrs.biased ? outputBuffer(outputs, 1) : null,
        traits,
      })];
    },
  };

  return {
    type,
    precision: "wide",
    aliases,
    gradientOp,
    weightGradOp,
    shape([x, ...parameters], { dimensions }) {
      floatOf(x!, type);
      const row = x!.shape.slice(-dimensions);
      for (const parameter of parameters) {
        if (!sameShape(parameter.shape, row)) {
          throw new InputError(
            `${type} over the last ${dimensions} dimensions of ${formatShape(x!.shape)} expects parameters ` +
              `${formatShape(row)}, got ${formatShape(parameter.shape)}`,
          );
        }
      }
      if (x!.layout !== "row") {
        throw new InputError(`${type} expects a row-major tensor; reshape or transpose the images`);
      }
      const numbers = rowMajor([...x!.shape.slice(0, -dimensions), ...row.map(() => 1)], "f32");
      return [x!, numbers, numbers];
    },
    cost: (inputs, outputs) => ({ flops: flops * sizeOf(outputs[0]!.shape), bytes: bytesOf(...inputs, ...outputs) }),
    gradient(node, [dy], needs) {
      if (!dy || !needs.includes(true)) return node.inputs.map(() => null);
      const [x, weight, bias] = node.inputs as [Tensor, Tensor?, Tensor?];
      const saved = [dy, x, outputOf(node, 1), outputOf(node, 2)];
      const attrs = { ...node.attrs, weighted: weight !== undefined };
      const gradients = needs[1]
        ? dy.graph.apply(weightGradOp, { ...node.attrs, biased: needs[2] ?? false }, saved)
        : [];
      return [
        needs[0] ? dy.graph.apply(gradientOp, attrs, weight === undefined ? saved : [...saved, weight])[0]! : null,
        ...(weight === undefined ? [] : [gradients[0] ?? null]),
        ...(bias === undefined ? [] : [needs[2] ? gradients[1] ?? sumOfRows(dy, bias.shape) : null]),
      ];
    },
    candidates({ inputs, outputs, attrs, traits }) {
      const { n, width } = rowsOf(inputs[0]!, attrs);
      const parameters = ["weight", "bias"].slice(0, inputs.length - 1);
      return [rowMap({
        name: `${type}.forward`,
        ...{ n, width, traits },
        inputs: {
          x: { ...inputBuffer(inputs, 0), kind: "rows" },
          ...Object.fromEntries(
            parameters.map((name, i): [string, RowInput] => [name, { ...inputBuffer(inputs, i + 1), kind: "row" }]),
          ),
        },
        outputs: { y: outputBuffer(outputs, 0) },
        numbers: { mean: { output: 1 }, deviation: { output: 2 } },
        uniforms: { scale: { f32: 1 / width }, epsilon: { f32: attrs.epsilon } },
        body: ({ each, write, sum }) =>
          `${
            centered
              ? moments({ each, sum })
              : `let mean = 0.0;\n  var squares = T();\n  ${each(["x"], "squares += x * x;")}`
          }
  let deviation = 1.0 / sqrt(${sum("squares")} * u.scale + u.epsilon);
  ${
            write(
              ["x", ...parameters],
              "y",
              `(x - mean) * deviation${parameters.includes("weight") ? " * weight" : ""}${
                parameters.includes("bias") ? " + bias" : ""
              }`,
            )
          }`,
      })];
    },
  };
}

/**
 * Returns statements that declare `mean` and `squares`, whose sum is that of the squared distances from the mean, in one
 * pass: each part keeps its own mean (B. Welford, 1962), and the parts are joined (T. Chan et al., 1979).
 */
function moments({ each, sum }: Pick<RowCode, "each" | "sum">): string {
  return `var count = 0.0;
  var own = T();
  var squares = T();
  ${each(["x"], "count += 1.0;\n    let d = x - own;\n    own += d * (1.0 / count);\n    squares += d * (x - own);")}
  let mean = ${sum("own * count")} * u.scale;
  squares += count * (own - mean) * (own - mean);`;
}

/** Returns the sum over all dimensions before a row's. */
function sumOfRows(dy: Tensor, row: Shape): Tensor {
  return reshape(sum(dy, { axes: dy.shape.map((_, d) => d).slice(0, -row.length) }), row);
}

function rowsOf({ shape }: TensorType, { dimensions }: RowNormAttrs): { n: number; width: number } {
  const row: Shape = shape.slice(-dimensions);
  return { n: sizeOf(shape) / sizeOf(row), width: sizeOf(row) };
}
