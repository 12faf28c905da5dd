/**
 * Ownership of memory: a view shows the memory of another tensor.
 *
 * @module
 */
import { DTYPE_BYTES } from "../core/dtype.ts";
import { sizeOf } from "../core/shape.ts";
import type { Node, Tensor } from "../graph/op.ts";
import type { TensorType } from "../graph/types.ts";
import type { Location } from "./plan.ts";

/**
 * Returns the location of a tensor outside the slots (leaves, gradients of parameters, outputs), or null for others.
 */
export type Placement = (tensor: Tensor) => Location | null;

/** Returns true if the node's output shows the memory of its input. */
export function isView(node: Node): boolean {
  return node.op.isView?.(node.inputs.map((input) => input.type), node.attrs) ?? false;
}

/** Returns the tensor that a chain of views shows; the tensor itself if it is not a view. */
export function sourceOf(tensor: Tensor): Tensor {
  let source = tensor;
  while (isView(source.node)) source = source.node.inputs[0]!;
  return source;
}

/** Returns the key of the memory that a tensor uses, which views share. */
export function ownerOf(tensor: Tensor): string {
  const source = sourceOf(tensor);
  return `${source.node.id}:${source.index}`;
}

/** Returns the bytes of a tensor. */
export function bytesOf(type: TensorType): number {
  return sizeOf(type.shape) * DTYPE_BYTES[type.dtype];
}

/** Returns the index of the last node that reads each tensor's memory; that of roots is the number of nodes. */
export function lastUses(nodes: readonly Node[], roots: readonly Tensor[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  nodes.forEach((node, i) => node.inputs.forEach((input) => last.set(ownerOf(input), i)));
  for (const root of roots) last.set(ownerOf(root), nodes.length);
  return last;
}
