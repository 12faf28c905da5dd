/**
 * Tensors that nothing computes: what is fed, what is trained, and the step state on the device. Each is a node whose op
 * has neither kernels nor gradient.
 *
 * @module
 */
import type { OpDef } from "./op.ts";
import type { Tensor } from "./tensor.ts";
import type { TensorType } from "./types.ts";

/** How a parameter or a state tensor starts. Bounds and deviations are in the parameter's own unit. */
export type Initializer =
  | { readonly kind: "constant"; readonly value: number }
  | { readonly kind: "uniform"; readonly low: number; readonly high: number }
  | { readonly kind: "normal"; readonly mean: number; readonly deviation: number };

/**
 * - `input`, `target`: fed with every batch
 * - `parameter`: trained; `state`: kept across steps but not trained (running statistics)
 * - `stepState`: `u32[4]`: seed, step, updates, 0
 * - `lossScale`: `f32[1]`: the factor on the loss
 */
export type LeafKind = "input" | "target" | "parameter" | "state" | "stepState" | "lossScale";

export interface LeafAttrs {
  readonly kind: LeafKind;
  readonly type: TensorType;
  /** For parameters and state. */
  readonly initializer?: Initializer;
}

export const leafOp: OpDef<LeafAttrs> = {
  type: "leaf",
  dtypeRule: "fixed",
  shape: (_inputs, attrs) => [attrs.type],
  cost: () => ({ flops: 0, bytes: 0 }),
  candidates: () => [],
};

/** Attributes of a leaf, or `null` for a tensor that is computed. */
export function leafAttrs({ node }: Pick<Tensor, "node">): LeafAttrs | null {
  return (node.op as unknown) === leafOp ? node.attrs as LeafAttrs : null;
}
