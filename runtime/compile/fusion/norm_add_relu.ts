import { addOp } from "../../../ops/add.ts";
import { reluOp } from "../../../ops/relu.ts";
import type { Tensor } from "../../graph/op.ts";
import { isPlainNorm, withRelu } from "./norm_relu.ts";
import { isOp, type Pattern } from "./pattern.ts";

/** Batch norm + addition + ReLU, the end of a residual block. */
export const normAddRelu: Pattern = (node, uses) => {
  const sum = node.inputs[0];
  if (!isOp(node, reluOp) || sum === undefined || !isOp(sum.node, addOp) || !uses.sole(sum)) return null;
  const [a, b] = sum.node.inputs as readonly [Tensor, Tensor];
  const fusable = (tensor: Tensor) => isPlainNorm(tensor) && uses.sole(tensor);
  if (fusable(a)) return withRelu(a.node, [sum.node, node], b);
  if (fusable(b)) return withRelu(b.node, [sum.node, node], a);
  return null;
};
