import { sizeOf } from "../runtime/core/shape.ts";
import { defineKernel, type KernelPlan, type UniformValue } from "../runtime/device/kernel.ts";
import type { KernelContext, OpDef, Tensor } from "../runtime/graph/op.ts";
import { isImages } from "../runtime/graph/types.ts";
import { bytesOf } from "./buffers.ts";
import { vectorLoop } from "./kernels/elementwise.ts";
import { broadcastView, DIVISION, readVectors } from "./kernels/strided.ts";
import { broadcastShape } from "./sum.ts";

/** An elementwise function of integers. */
export interface IntegerForm {
  /** Name in reports and kernels, such as `add`. */
  readonly name: string;
  /** Names of the operands in the expression. */
  readonly operands: readonly string[];
  /** Operands that are read as floats, whatever their element type. */
  readonly conditions?: readonly string[];
  /** WGSL over `vec4<i32>`, which wraps around on overflow. */
  readonly value: string;
  /** Element type of the result. */
  readonly dtype: "i32" | "f32";
  /** Functions that the expression calls. */
  readonly prelude?: string;
}

export interface IntegerAttrs extends IntegerForm {
  /** The number at each operand's position; null for a tensor. */
  readonly numbers: readonly (number | null)[];
}

/** Integers are 32 bits wide. */
const [LOWEST, HIGHEST] = [-(2 ** 31), 2 ** 31 - 1];

/** y = a function of integers, exact in all 32 bits, with NumPy broadcasting and no gradient. Inputs: the tensors. */
export const integerElementwiseOp: OpDef<IntegerAttrs> = {
  type: "integer_elementwise",
  precision: "fixed",
  shape(inputs, { name, dtype }) {
    const shape = broadcastShape(name, inputs.map((input) => input.shape));
    const whole = inputs.find((input) => isImages(input) && input.shape.length === shape.length);
    return [{ shape, dtype, layout: whole?.layout ?? "row" }];
  },
  cost: (inputs, outputs) => ({ flops: 0, bytes: bytesOf(...inputs, ...outputs) }),
  candidates: (context) => [plan(context)],
};

function plan({ inputs, outputs: [y], attrs, traits }: KernelContext<IntegerAttrs>): KernelPlan {
  const { name, operands, conditions = [], value, dtype, numbers, prelude = "" } = attrs;
  const tensors = operands.filter((_, i) => numbers[i] === null);
  const reads = tensors.map((operand, i) => ({
    operand,
    kind: inputs[i]!.dtype,
    ...readVectors(`${operand}_`, inputs[i]!.dtype, broadcastView(inputs[i]!, y!)),
  }));
  const uniforms: Record<string, UniformValue> = Object.assign({}, ...reads.map(({ uniforms }) => uniforms));
  const declared = operands.map((operand, i) => {
    const type = conditions.includes(operand) ? "f32" : "i32";
    if (numbers[i] === null) return `let ${operand} = vec4<${type}>(${operand}_At(i));`;
    uniforms[operand] = { i32: Math.min(HIGHEST, Math.max(LOWEST, numbers[i]!)) };
    return `let ${operand} = vec4<${type}>(i32(u.${operand}));`;
  });
  const kinds = operands.map((operand, i) => numbers[i] === null ? reads[tensors.indexOf(operand)]!.kind : "number");
  const kernel = defineKernel({
    name: `integer.${name}.${kinds.join("_")}`,
    buffers: {
      ...Object.fromEntries(reads.map(({ operand, type }, i) => [`${operand}_`, { ref: { input: i }, type }])),
      result: { ref: { output: 0 }, type: `vec4<${dtype}>` },
    },
    prelude: [DIVISION, ...reads.map(({ functions }) => functions), prelude].join("\n"),
    ...vectorLoop(
      Math.ceil(sizeOf(y!.shape) / 4),
      traits,
      `${declared.join(" ")}\n    result[i] = ${value};`,
      uniforms,
    ),
  });
  return { name: kernel.name, kernels: [kernel], workspace: [] };
}

/** Applies a function of integers to tensors and numbers; infinite numbers are the ends of their range. */
export function applyIntegers(form: IntegerForm, operands: readonly (Tensor | number)[]): Tensor {
  const tensors = operands.filter((operand) => typeof operand !== "number");
  const numbers = operands.map((operand) => typeof operand === "number" ? operand : null);
  return tensors[0]!.graph.apply(integerElementwiseOp, { ...form, numbers }, tensors)[0]!;
}

/** Returns true for a number that integers of 32 bits hold, or that is beyond all of them. */
export function fitsIntegers(value: number): boolean {
  return (Number.isInteger(value) && value >= LOWEST && value <= HIGHEST) || Math.abs(value) === Infinity;
}
