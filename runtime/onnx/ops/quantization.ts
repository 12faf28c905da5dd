/**
 * Quantised values, as floats that are whole numbers. Gradients pass the rounding as if it were not there (Y. Bengio et al.,
 * 2013), and are 0 where a value is cut off.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { div, mul, neg, sub } from "../../../ops/arithmetic.ts";
import { clamp, maximum, minimum, where } from "../../../ops/choice.ts";
import { max, min } from "../../../ops/extremes.ts";
import { matmul } from "../../../ops/matmul.ts";
import { reshape } from "../../../ops/reshape.ts";
import { round } from "../../../ops/rounding.ts";
import { stopGradient } from "../../../ops/stop_gradient.ts";
import { InputError } from "../../core/errors.ts";
import { formatShape } from "../../core/shape.ts";
import type { Tensor } from "../../graph/op.ts";
import type { Application } from "../application.ts";
import { elementType, typeName } from "../format/element_types.ts";
import { mapElements } from "../host.ts";
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
  const given = node.attributes.integer("axis", 1);
  if (own.length === 0 || (own.length === 1 && own[0] === 1)) return [];
  const axis = axisOf(given, shape);
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
    const { attributes } = node;
    attributes.ignore("it concerns floats of 8 bits, which are refused", "saturate");
    attributes.only(0, "block_size");
    const x = node.floats(0);
    const along = alongAxis(node, x.shape);
    const zero = node.has(2) ? floatAlong(node, 2, along) : null;
    return quantized(x, floatAlong(node, 1, along), zero, rangeOf(node, 2, attributes.integer("output_dtype", 0)));
  },
};

/**
 * Returns the values of the type of a zero point.
 *
 * @param otherwise number of the type where there is no zero point; 0 is uint8
 */
function rangeOf(node: Application, i: number, otherwise = 0): readonly [number, number] {
  const named = otherwise === 0 ? null : typeName(otherwise);
  const type = node.constant(i, "the zero point")?.type ?? named ?? "uint8";
  if (named !== null && named !== type) {
    throw new InputError(`output_dtype is ${named}; expected ${type}, as the zero point`);
  }
  const range = RANGES[type];
  if (range !== undefined) return range;
  throw new InputError(`values of type ${type}; expected ${Object.keys(RANGES).join(", ")}`);
}

function quantized(x: Tensor, scale: Tensor, zero: Tensor | null, [low, high]: readonly [number, number]): Tensor {
  // Infinities have no distance to the number that they are rounded to
  const most = high - low + 1;
  const scaled = clamp(div(x, scale), { low: -most, high: most });
  const whole = add(scaled, stopGradient(sub(round(scaled), scaled)));
  return clamp(zero === null ? whole : add(whole, zero), { low, high });
}

/** Quantises to uint8 by the range of the values, which includes 0. */
const dynamic: Operator = {
  type: "DynamicQuantizeLinear",
  build(node) {
    const x = node.floats(0);
    const low = minimum(min(x), 0);
    // Each end is divided, as their distance may overflow; zeros have any scale
    const step = sub(div(maximum(max(x), 0), 255), div(low, 255));
    const scale = where(step, step, 1);
    const zero = round(clamp(div(neg(low), scale), { low: 0, high: 255 }));
    return [quantized(x, scale, zero, RANGES["uint8"]!), scale, zero];
  },
};

/** Products of whole numbers, less their zero points. Sums are exact below 2^24. */
const product: Operator = {
  type: "MatMulInteger",
  build: (node) => matmul(shifted(node, 0, perRow(node, 2)), shifted(node, 1, node.has(3) ? node.floats(3) : null)),
};

function shifted(node: Application, i: number, zero: Tensor | null): Tensor {
  return zero === null ? node.floats(i) : sub(node.floats(i), zero);
}

/** Returns scales or zero points of rows, one column of them; null if there are none. */
function perRow(node: Application, i: number): Tensor | null {
  if (!node.has(i)) return null;
  const x = node.floats(i);
  return x.shape.length === 1 && x.shape[0] !== 1 ? reshape(x, [x.shape[0]!, 1]) : x;
}

/** The product of quantised matrices: a, its scale and zero point, b, its, and those of the result. */
const quantizedProduct: Operator = {
  type: "QLinearMatMul",
  build(node) {
    const a = mul(shifted(node, 0, perRow(node, 2)), perRow(node, 1)!);
    const b = mul(shifted(node, 3, node.floats(5)), node.floats(4));
    return quantized(matmul(a, b), perRow(node, 6)!, perRow(node, 7), rangeOf(node, 7));
  },
};

const dequantize: Operator = {
  type: "DequantizeLinear",
  build(node) {
    refuseOthers(node);
    const x = node.floats(0);
    const along = alongAxis(node, x.shape);
    const shifted = node.has(2) ? sub(x, floatAlong(node, 2, along)) : x;
    return mul(shifted, floatAlong(node, 1, along));
  },
  fold(node) {
    refuseOthers(node);
    const x = node.constant(0, "the values")!;
    const along = alongAxis(node, x.shape);
    const shaped = (i: number): Constant => node.constant(i, "a number")!.reshaped(along);
    const zero = node.has(2) ? [shaped(2)] : [];
    return mapElements("DequantizeLinear", [x, shaped(1), ...zero], "float", (q, scale, z = 0) => (q! - z) * scale!);
  },
};

/** @throws {InputError} for scales of blocks, and results other than floats */
function refuseOthers({ attributes }: Application): void {
  attributes.only(0, "block_size");
  const type = attributes.integer("output_dtype", 0);
  if (type !== 0 && elementType(type, "the result").kind !== "float") {
    throw new InputError(`output_dtype is ${typeName(type)}; expected floats`);
  }
}

export const QUANTIZATION: readonly Operator[] = [
  dequantize,
  dynamic,
  product,
  quantize,
  quantizedProduct,
];
