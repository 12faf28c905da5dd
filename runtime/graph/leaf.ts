/**
 * Leaves of the graph: batch fields, parameters and the step state on the device. Each is a node whose op has neither
 * kernels nor a gradient.
 *
 * @module
 */
import type { OpDef, Tensor } from "./op.ts";
import type { Initializer, LeafKind, TensorType } from "./types.ts";

export interface LeafAttrs {
  readonly kind: LeafKind;
  readonly type: TensorType;
  /** Present for parameters and state. */
  readonly initializer?: Initializer;
}

export const leafOp: OpDef<LeafAttrs> = {
  type: "leaf",
  precision: "fixed",
  shape: (_inputs, attrs) => [attrs.type],
  cost: () => ({ flops: 0, bytes: 0 }),
  candidates: () => [],
};

/** Returns the attributes of a leaf, or `null` for a computed tensor. */
export function leafAttrs({ node }: Pick<Tensor, "node">): LeafAttrs | null {
  return (node.op as unknown) === leafOp ? node.attrs as LeafAttrs : null;
}
