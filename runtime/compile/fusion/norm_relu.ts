import { type BatchNormAttrs, batchNormInferOp, batchNormOp, thenRelu } from "../../../ops/batch_norm.ts";
import { reluOp } from "../../../ops/relu.ts";
import type { Node, Tensor } from "../../graph/op.ts";
import { isOp, type Match, type Pattern } from "./pattern.ts";

/** Batch norm + ReLU: applied while the normalised values are in registers; the gradient masks dy as it reads it. */
export const normRelu: Pattern = (node, uses) => {
  const input = node.inputs[0];
  if (!isOp(node, reluOp) || input === undefined || !uses.sole(input) || !isPlainNorm(input)) return null;
  return withRelu(input.node, [node], null);
};

/** A batch norm that takes over a ReLU and, before it, the addition of `residual`. */
export function withRelu(norm: Node, others: readonly Node[], residual: Tensor | null): Match {
  const attrs = thenRelu(norm.attrs as BatchNormAttrs);
  return {
    members: [norm, ...others],
    build: (target, map, members) =>
      target.replay({ ...norm, members, attrs }, [...norm.inputs, ...(residual === null ? [] : [residual])].map(map)),
  };
}

/** Whether a tensor is what a batch norm without activation and residual returns. */
export function isPlainNorm({ node, index }: Tensor): boolean {
  return (isOp(node, batchNormOp) || isOp(node, batchNormInferOp)) && index === 0 && node.inputs.length === 5 &&
    (node.attrs as BatchNormAttrs).activation === "none";
}
