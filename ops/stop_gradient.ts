import type { OpDef, Tensor } from "../runtime/graph/op.ts";
import type { NoAttrs } from "./activation.ts";
import { checkTensors } from "./check_arguments.ts";

/** y = x, without a gradient. Input: x, whose memory the output shows. */
export const stopGradientOp: OpDef<NoAttrs> = {
  type: "stop_gradient",
  precision: "follow",
  shape: ([x]) => [x!],
  cost: () => ({ flops: 0, bytes: 0 }),
  isView: () => true,
  gradient: () => [null],
  candidates: () => [],
};

/**
 * Returns `x` as a constant of the backward pass, as PyTorch's `detach` does: no gradient flows through the result.
 *
 * @example Signs whose gradient is that of the identity, as binarised networks use them
 * ```ts
 * import { add, sign, stopGradient, sub, type Tensor } from "@tacho/tacho";
 *
 * const binarized = (x: Tensor): Tensor => add(x, stopGradient(sub(sign(x), x)));
 * ```
 */
export function stopGradient(x: Tensor): Tensor {
  checkTensors("stopGradient", [x]);
  return x.graph.apply(stopGradientOp, {}, [x])[0]!;
}
