/**
 * Quantised values, as floats that are whole numbers. Gradients pass the rounding as if it were not there (Y. Bengio et al.,
 * 2013), and are 0 where a value is cut off.
 *
 * @module
 */
import { add } from "../../../ops/add.ts";
import { div, mul, sub } from "../../../ops/arithmetic.ts";
import { clamp } from "../../../ops/choice.ts";
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
    const zero = node.constant(2, "the zero point");
    const type = zero?.type ?? "uint8";
    const range = RANGES[type];
    if (range === undefined) throw new InputError(`values of type ${type}; expected ${Object.keys(RANGES).join(", ")}`);
    const scaled = div(x, floatAlong(node, 1, along));
    const whole = add(scaled, stopGradient(sub(round(scaled), scaled)));
    const shifted = zero === null ? whole : add(whole, floatAlong(node, 2, along));
    return clamp(shifted, { low: range[0], high: range[1] });
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

export const QUANTIZATION: readonly Operator[] = [dequantize, quantize];
