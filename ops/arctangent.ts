import type { Tensor } from "../runtime/graph/op.ts";
import { applyElementwise, defineElementwise } from "./elementwise_op.ts";

/** y = arctan x; dx = dy / (1 + x^2). */
export const atanOp = defineElementwise({
  type: "atan",
  operands: ["x"],
  value: "atan(x)",
  gradients: { x: { from: ["x"], value: "dy / (1.0 + x * x)", flops: 3 } },
  flops: 1,
});

/** Returns the angle, in radians between -pi/2 and pi/2, whose tangent each element is. */
export function atan(x: Tensor): Tensor {
  return applyElementwise(atanOp, [x]);
}
