/**
 * Quantised values, as floats that are whole numbers. Gradients pass the rounding as if it were not there (Y. Bengio et al.,
 * 2013), and are 0 where a value is cut off.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { div, mul, neg, sub } from "../../../ops/arithmetic.ts";
import { clamp, maximum, minimum } from "../../../ops/choice.ts";
import { max, min } from "../../../ops/extremes.ts";
import { matmul } from "../../../ops/matmul.ts";
import { reshape } from "../../../ops/reshape.ts";
import { round } from "../../../ops/rounding.ts";
import { stopGradient } from "../../../ops/stop_gradient.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { mapElements } from "../host/elements.ts";
import type { Operator } from "../operator.ts";
import type { Constant } from "../value.ts";
import { axisOf } from "./reductions.ts";

/** Smallest and largest values by element type. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65535],
  int16: [-32768, 32767],
};

/** Returns the shape in which a scale or a zero point per channel lies along its axis. */
function alongAxis(node: Application, shape: readonly number[]): readonly number[] {
  const own = node.shape(1);
  if (own.length === 0 || (own.length === 1 && own[0] === 1)) return [];
  const axis = axisOf(node.attributes.integer("axis", 1), shape);
  if (own.length === 1 && own[0] === shape[axis]) return [own[0]!, ...shape.slice(axis + 1).map(() => 1)];
  throw new InputError(
    `the scale has the shape ${formatShape(own)}; expected one number, or ${shape[axis]} along axis ${axis}`,
  );
}

function floatAlong(node: Application, i: number, along: readonly number[]): Tensor {
  return reshape(node.floats(i), along);
}

const quantize: Operator = {
  type: "QuantizeLinear",
  build(node) {
    node.attributes.ignore("saturate");
    refuseBlocks(node);
    const x = node.floats(0);
    const along = alongAxis(node, x.shape);
    const zero = node.has(2) ? floatAlong(node, 2, along) : null;
    return quantized(x, floatAlong(node, 1, along), zero, rangeOf(node, 2));
  },
};

/** Returns the values of the type of a zero point, which is uint8 where there is none. */
function rangeOf(node: Application, i: number): readonly [number, number] {
  const type = node.constant(i, "the zero point")?.type ?? "uint8";
  const range = RANGES[type];
  if (range !== undefined) return range;
  throw new InputError(`values of type ${type}; expected ${Object.keys(RANGES).join(", ")}`);
}

function quantized(x: Tensor, scale: Tensor, zero: Tensor | null, [low, high]: readonly [number, number]): Tensor {
  const scaled = div(x, scale);
  const whole = add(scaled, stopGradient(sub(round(scaled), scaled)));
  return clamp(zero === null ? whole : add(whole, zero), { low, high });
}

/** Quantises to uint8 by the range of the values, which includes 0. */
const dynamic: Operator = {
  type: "DynamicQuantizeLinear",
  build(node) {
    const x = node.floats(0);
    const low = minimum(min(x), 0);
    const scale = mul(sub(maximum(max(x), 0), low), 1 / 255);
    const zero = round(clamp(div(neg(low), scale), { low: 0, high: 255 }));
    return [quantized(x, scale, zero, RANGES["uint8"]!), scale, zero];
  },
};

/** Products of whole numbers, less their zero points. Sums are exact below 2^24. */
const product: Operator = {
  type: "MatMulInteger",
  build: (node) => matmul(shifted(node, 0, 2), shifted(node, 1, 3)),
};

function shifted(node: Application, i: number, zero: number): Tensor {
  return node.has(zero) ? sub(node.floats(i), node.floats(zero)) : node.floats(i);
}

/** The product of quantised matrices: a, its scale and zero point, b, its, and those of the result. */
const quantizedProduct: Operator = {
  type: "QLinearMatMul",
  build(node) {
    const [a, b] = [mul(shifted(node, 0, 2), node.floats(1)), mul(shifted(node, 3, 5), node.floats(4))];
    return quantized(matmul(a, b), node.floats(6), node.floats(7), rangeOf(node, 7));
  },
};

const dequantize: Operator = {
  type: "DequantizeLinear",
  build(node) {
    refuseBlocks(node);
    const x = node.floats(0);
    const along = alongAxis(node, x.shape);
    const shifted = node.has(2) ? sub(x, floatAlong(node, 2, along)) : x;
    return mul(shifted, floatAlong(node, 1, along));
  },
  fold(node) {
    refuseBlocks(node);
    const x = node.constant(0, "the values")!;
    const along = alongAxis(node, x.shape);
    const shaped = (i: number): Constant => node.constant(i, "a number")!.reshaped(along);
    const zero = node.has(2) ? [shaped(2)] : [];
    return mapElements("DequantizeLinear", [x, shaped(1), ...zero], "float", (q, scale, z = 0) => (q! - z) * scale!);
  },
};

function refuseBlocks({ attributes }: Application): void {
  attributes.ignore("output_dtype");
  if (attributes.integer("block_size", 0) !== 0) throw new InputError("block_size is not supported");
}

export const QUANTIZATION: readonly Operator[] = [
  dequantize,
  dynamic,
  product,
  quantize,
  quantizedProduct,
];
