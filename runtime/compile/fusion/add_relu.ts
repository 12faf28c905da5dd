import { addReluOp } from "../../../ops/add_relu.ts";
import type { Pattern } from "./pattern.ts";

/** Addition + ReLU: the sum is not written. */
export const addRelu: Pattern = (node, uses) => {
  const sum = node.inputs[0];
  if (node.op.type !== "relu" || sum === undefined || sum.node.op.type !== "add" || !uses.sole(sum)) return null;
  return {
    members: [sum.node, node],
    build: (target, map, members) => target.replay({ ...node, members }, sum.node.inputs.map(map), addReluOp, {}),
  };
};
