/**
 * What op definitions ask of tensors and their types.
 *
 * @module
 */
import { type FloatType, isFloat } from "../../runtime/core/dtype.ts";
import { InputError } from "../../runtime/core/errors.ts";
import type { BufferDeclaration } from "../../runtime/device/kernel.ts";
import { type InPlace, type Node, Tensor } from "../../runtime/graph/op.ts";
import { formatType, type TensorType } from "../../runtime/graph/types.ts";
import { elementType, floatType } from "./access.ts";
import type { PlaceWidth } from "./elements.ts";
import type { FloatBuffer } from "./float_buffer.ts";

/** The element type of a tensor of floats. Throws `InputError` for others; `op` and `what` say whose tensor it is. */
export function floatOf(type: TensorType, op: string, what = "its input"): FloatType {
  if (isFloat(type.dtype)) return type.dtype;
  throw new InputError(`${op} expects ${what} to be f32 or f16, got ${formatType(type)}; cast it first`);
}

/** Output `index` of a node as a tensor; for gradients that use what the forward pass computed. */
export function outputOf<A>(node: Node<A>, index: number): Tensor {
  return new Tensor(node.inputs[0]!.graph, node as Node, index);
}

/** The declaration of a {@linkcode FloatBuffer} for `defineKernel`. */
export function declare({ ref, dtype, epilogue }: FloatBuffer, width: 1 | 4): BufferDeclaration {
  return { ref, type: elementType(dtype, width), ...epilogue === undefined ? {} : { epilogue } };
}

/** Input `index` of a node with the given input types. */
export function inputBuffer(types: readonly TensorType[], index: number): FloatBuffer {
  return { ref: { input: index }, dtype: floatType(types[index]!) };
}

/** Output `index` of a node with the given output types; `over` is the output that takes an input's place. */
export function outputBuffer(types: readonly TensorType[], index: number, over?: InPlace): FloatBuffer {
  const buffer = { ref: { output: index }, dtype: floatType(types[index]!) };
  return over?.output === index ? { ...buffer, over: { input: over.input } } : buffer;
}

/** Part of a kernel's name that tells apart what is compiled differently, such as `f32.x4`. */
export function variantName(buffers: Readonly<Record<string, FloatBuffer>>, width: PlaceWidth): string {
  const dtypes = new Set(Object.values(buffers).map((buffer) => buffer.dtype));
  return `${[...dtypes].sort().reverse().join("-")}.x${width}`;
}
