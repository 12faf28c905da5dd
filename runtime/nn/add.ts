import { add as sum, addOp } from "../../ops/add.ts";
import { checkOperands, type Operand } from "../../ops/elementwise_op.ts";
import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { Tensor } from "../graph/op.ts";
import { kindOf } from "./layer.ts";

/**
 * Adds two tensors, such as a residual branch and its shortcut, or a tensor and a number. Shapes are broadcast as in
 * NumPy.
 *
 * @throws {InputError} naming both shapes if they do not fit together
 */
export function add(a: Operand, b: Operand): Tensor {
  checkOperands(addOp, arguments);
  const wrong = [a, b].find((operand) => !isInstance(operand, Tensor) && typeof operand !== "number");
  const tensor = [a, b].find((operand) => isInstance(operand, Tensor));
  if (wrong !== undefined || tensor === undefined) {
    const got = kindOf(wrong ?? a);
    throw new InputError(`add: expected two tensors, got ${got}; apply the layer first: add(body(x), x)`);
  }
  const { graph } = tensor;
  return graph.inLayer(graph.layerPath("add"), () => sum(a, b));
}
