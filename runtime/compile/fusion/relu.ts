import { addReluOp } from "../../../ops/add_relu.ts";
import { type BatchNormAttrs, batchNormInferOp, batchNormOp, thenRelu } from "../../../ops/batch_norm.ts";
import { reluOp } from "../../../ops/relu.ts";
import type { Node, Tensor } from "../../graph/op.ts";
import { isOp, isPlainSum, type Match, type Pattern, type Uses } from "./pattern.ts";

/** Addition + ReLU: the sum is not written to memory. */
export const addRelu: Pattern = (node, uses) => {
  const sum = inputOfRelu(node, uses);
  if (sum === null || !isPlainSum(sum.node)) return null;
  return {
    members: [sum.node, node],
    build: (target, map, members) => target.replay({ ...node, members }, sum.node.inputs.map(map), addReluOp, {}),
  };
};

/** Batch norm + ReLU: applied while the normalised values are in registers; the gradient masks dy when it reads it. */
export const normRelu: Pattern = (node, uses) => {
  const input = inputOfRelu(node, uses);
  return input === null || !isPlainNorm(input) ? null : withRelu(input.node, [node], null);
};

/** Batch norm + addition + ReLU, the end of a residual block. */
export const normAddRelu: Pattern = (node, uses) => {
  const sum = inputOfRelu(node, uses);
  if (sum === null || !isPlainSum(sum.node)) return null;
  const [a, b] = sum.node.inputs as readonly [Tensor, Tensor];
  const fusable = (tensor: Tensor) => isPlainNorm(tensor) && uses.sole(tensor);
  if (fusable(a)) return withRelu(a.node, [sum.node, node], b);
  if (fusable(b)) return withRelu(b.node, [sum.node, node], a);
  return null;
};

/** Returns the input of a ReLU that nothing else reads, or null. */
function inputOfRelu(node: Node, uses: Uses): Tensor | null {
  const input = node.inputs[0];
  return isOp(node, reluOp) && input !== undefined && uses.sole(input) ? input : null;
}

/** Returns a match that merges a ReLU and, before it, the addition of `residual` into a batch norm. */
function withRelu(norm: Node, others: readonly Node[], residual: Tensor | null): Match {
  const attrs = thenRelu(norm.attrs as BatchNormAttrs);
  return {
    members: [norm, ...others],
    build: (target, map, members) =>
      target.replay({ ...norm, members, attrs }, [...norm.inputs, ...(residual === null ? [] : [residual])].map(map)),
  };
}

/** Returns true if a tensor is the output of a batch norm without activation and residual. */
function isPlainNorm({ node, index }: Tensor): boolean {
  return (isOp(node, batchNormOp) || isOp(node, batchNormInferOp)) && index === 0 && node.inputs.length === 5 &&
    (node.attrs as BatchNormAttrs).activation === "none";
}
