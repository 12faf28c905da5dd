import { isFloat } from "../core/dtype.ts";
import { InputError } from "../core/errors.ts";
import { leafOp } from "./leaf.ts";
import type { Node, Tensor } from "./op.ts";

/**
 * Adds the backward pass (reverse-mode differentiation) to the graph of `loss` and returns the gradient of each tensor
 * in `wrt`, or `null` for a tensor that the loss does not depend on. Visits the nodes in reverse order of the forward
 * pass, so every build produces the same backward pass.
 *
 * @param seed gradient of the loss itself, of the loss's shape
 * @param accumulate adds two contributions to the same gradient
 * @throws {InputError} if an op that needs a gradient does not define one
 */
export function differentiate(
  loss: Tensor,
  seed: Tensor,
  wrt: readonly Tensor[],
  accumulate: (a: Tensor, b: Tensor) => Tensor,
): (Tensor | null)[] {
  const graph = loss.graph;
  const forward = [...graph.nodes];
  const needed = reaching(forward, wrt);
  const gradients = new Map<Node, (Tensor | null)[]>();
  const contribute = (node: Node, target: Tensor, gradient: Tensor) => {
    const slots = gradients.get(target.node) ?? target.node.outputs.map(() => null);
    const before = slots[target.index] ?? null;
    slots[target.index] = before === null ? gradient : graph.gradientOf(node, () => accumulate(before, gradient));
    gradients.set(target.node, slots);
  };
  contribute(loss.node, loss, seed);
  for (const node of forward.reverse()) {
    const dys = gradients.get(node);
    if (dys === undefined || node.op === leafOp || !needed.has(node)) continue;
    const needs = node.inputs.map((input) => needed.has(input.node) && isFloat(input.dtype));
    if (!needs.includes(true)) continue;
    if (node.op.gradient === undefined) {
      throw new InputError(
        `model: layer "${node.layer}": op "${node.op.type}" has no gradient, but parameters before it are trained; give ` +
          'its defineOp a gradient, or set the scenario\'s mode to "infer"',
      );
    }
    const dxs = graph.gradientOf(node, () => node.op.gradient!(node, dys, needs));
    node.inputs.forEach((input, i) => {
      const dx = dxs[i] ?? null;
      if (dx !== null && needs[i]) contribute(node, input, dx);
    });
  }
  return wrt.map((tensor) => gradients.get(tensor.node)?.[tensor.index] ?? null);
}

/** Returns the nodes that depend on a tensor in `wrt`, including the tensors' own nodes. */
function reaching(nodes: readonly Node[], wrt: readonly Tensor[]): Set<Node> {
  const reached = new Set<Node>(wrt.map((tensor) => tensor.node));
  for (const node of nodes) {
    if (node.inputs.some((input) => isFloat(input.dtype) && reached.has(input.node))) reached.add(node);
  }
  return reached;
}
