import type { Tensor } from "../runtime/graph/op.ts";
import { applyElementwise, defineElementwise, type Operand } from "./elementwise_op.ts";

const dy = { from: [], value: "dy", flops: 0 } as const;

/** y = a + b; da = db = dy. */
export const addOp = defineElementwise({
  type: "add",
  aliases: { nnc: "Add2", paddle: "elementwise_add", mindinsight: "Add" },
  operands: ["a", "b"],
  value: "a + b",
  integers: "i32",
  gradients: { a: dy, b: dy },
  flops: 1,
});

/**
 * Adds two tensors, or a tensor and a number, elementwise, as in a skip connection. Shapes are broadcast as in NumPy.
 *
 * @throws {InputError} if the shapes do not fit together, or the element types differ
 */
export function add(a: Operand, b: Operand): Tensor {
  return applyElementwise(addOp, [a, b]);
}
