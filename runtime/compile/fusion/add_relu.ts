import { addOp } from "../../../ops/add.ts";
import { addReluOp } from "../../../ops/add_relu.ts";
import { reluOp } from "../../../ops/relu.ts";
import { isOp, type Pattern } from "./pattern.ts";

/** Addition + ReLU: the sum is not written. */
export const addRelu: Pattern = (node, uses) => {
  const sum = node.inputs[0];
  if (!isOp(node, reluOp) || sum === undefined || !isOp(sum.node, addOp) || !uses.sole(sum)) return null;
  return {
    members: [sum.node, node],
    build: (target, map, members) => target.replay({ ...node, members }, sum.node.inputs.map(map), addReluOp, {}),
  };
};
