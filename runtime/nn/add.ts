import { add as sum } from "../../ops/add.ts";
import { InputError } from "../core/errors.ts";
import { Tensor } from "../graph/op.ts";
import { kindOf } from "./layer.ts";

/**
 * Adds two tensors of the same shape, such as a residual branch and its shortcut.
 *
 * @throws {InputError} naming both shapes if they differ
 */
export function add(a: Tensor, b: Tensor): Tensor {
  for (const tensor of [a, b]) {
    if (!(tensor instanceof Tensor)) {
      throw new InputError(`add: expected two tensors, got ${kindOf(tensor)}; apply the layer first: add(body(x), x)`);
    }
  }
  return a.graph.inLayer(a.graph.layerPath("add"), () => sum(a, b));
}
