/**
 * Ownership of memory: a view shows the memory of another tensor, or a part of it.
 *
 * @module
 */
import { DTYPE_BYTES } from "../core/dtype.ts";
import { sizeOf } from "../core/shape.ts";
import type { Node, Tensor } from "../graph/op.ts";
import type { TensorType } from "../graph/types.ts";
import type { Location } from "./plan.ts";
import { BINDING_ALIGNMENT } from "./update.ts";

/**
 * Returns the location of a tensor outside the slots (leaves, gradients of parameters, outputs), or null for others.
 */
export type Placement = (tensor: Tensor) => Location | null;

/** Returns true if the node's outputs show the memory of its first input. */
export function isView(node: Node): boolean {
  return offsetsOf(node) !== null;
}

/** Returns the tensor that a chain of views shows; the tensor itself if it is not a view. */
export function sourceOf(tensor: Tensor): Tensor {
  let source = tensor;
  while (isView(source.node)) source = source.node.inputs[0]!;
  return source;
}

/** Returns where a tensor begins in the memory of its source, in bytes. */
export function offsetInSource(tensor: Tensor): number {
  let offset = 0;
  for (let source = tensor; isView(source.node); source = source.node.inputs[0]!) {
    offset += offsetsOf(source.node)![source.index] ?? 0;
  }
  return offset;
}

/** Results of {@linkcode offsetsOf}. A compilation asks for those of a node dozens of times. */
const known = new WeakMap<Node, readonly number[] | null>();

/**
 * Returns where each output of a view begins in its first input, in bytes; null for other nodes, and for parts that no
 * binding can begin at.
 */
function offsetsOf(node: Node): readonly number[] | null {
  let offsets = known.get(node);
  if (offsets === undefined) known.set(node, offsets = findOffsets(node));
  return offsets;
}

function findOffsets({ op, inputs, attrs }: Node): readonly number[] | null {
  const types = inputs.map(({ type }) => type);
  if (op.isView?.(types, attrs)) return [0];
  const offsets = op.parts?.(types, attrs)?.map((element) => element * DTYPE_BYTES[types[0]!.dtype]) ?? null;
  return offsets?.every((offset) => offset % BINDING_ALIGNMENT === 0) ? offsets : null;
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
