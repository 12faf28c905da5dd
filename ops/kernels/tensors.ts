/**
 * Helpers of op definitions for tensors, their types and their buffers.
 *
 * @module
 */
import { type FloatType, isFloat } from "../../runtime/core/dtype.ts";
import { InputError } from "../../runtime/core/errors.ts";
import type { BufferDeclaration } from "../../runtime/device/kernel.ts";
import { type InPlace, type Node, Tensor } from "../../runtime/graph/op.ts";
import { formatType, type TensorType } from "../../runtime/graph/types.ts";
import { elementType, type FloatBuffer, floatType } from "./access.ts";
import type { PlaceWidth } from "./elements.ts";

/**
 * Returns the element type of a float tensor. `op` and `what` name the tensor in the error.
 *
 * @throws {InputError} for other element types
 */
export function floatOf(type: TensorType, op: string, what = "its input"): FloatType {
  if (isFloat(type.dtype)) return type.dtype;
  throw new InputError(`${op} expects ${what} to be f32 or f16, got ${formatType(type)}; cast it first`);
}

/** Returns output `index` of a node as a tensor, for gradients that use results of the forward pass. */
export function outputOf<A>(node: Node<A>, index: number): Tensor {
  return new Tensor(node.inputs[0]!.graph, node as Node, index);
}

/** Returns the declaration of a {@linkcode FloatBuffer} for `defineKernel`. */
export function declare({ ref, dtype, epilogue }: FloatBuffer, width: 1 | 4): BufferDeclaration {
  return { ref, type: elementType(dtype, width), ...epilogue === undefined ? {} : { epilogue } };
}

/** Returns input `index` of a node with the given input types. */
export function inputBuffer(types: readonly TensorType[], index: number): FloatBuffer {
  return { ref: { input: index }, dtype: floatType(types[index]!) };
}

/** Returns output `index` of a node with the given output types; `over` names an output that overwrites an input. */
export function outputBuffer(types: readonly TensorType[], index: number, over?: InPlace): FloatBuffer {
  const buffer = { ref: { output: index }, dtype: floatType(types[index]!) };
  return over?.output === index ? { ...buffer, over: { input: over.input } } : buffer;
}

/** Returns the part of a kernel's name that distinguishes its compiled variants, such as `f32.x4`. */
export function variantName(buffers: Readonly<Record<string, FloatBuffer>>, width: PlaceWidth): string {
  const dtypes = new Set(Object.values(buffers).map((buffer) => buffer.dtype));
  return `${[...dtypes].sort().reverse().join("-")}.x${width}`;
}
