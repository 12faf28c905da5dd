import { type BatchNormGradAttrs, batchNormGradOp, batchNormOp } from "../../../ops/batch_norm.ts";
import type { Graph } from "../../graph/graph.ts";
import { membersOf, type Node, type Tensor } from "../../graph/op.ts";
import { rewriteGraph } from "../rewrite.ts";
import { isOp, isPlainSum } from "./pattern.ts";

/**
 * Lets gradients of batch norms read less memory. At the end of a residual block two gradients are added: if only the
 * norm reads their sum, the norm adds them itself and stores the sum in its first pass. Elsewhere, a norm with a ReLU
 * recomputes the sign of its output from x.
 *
 * @param nodes nodes that `roots` depend on, in the order in which they run
 */
export function fuseNormGrad(
  source: Pick<Graph, "mode" | "imageLayout" | "attention">,
  nodes: readonly Node[],
  roots: readonly Tensor[],
): { graph: Graph; map: (tensor: Tensor) => Tensor } {
  const uses = new Map<Node, number>();
  for (const { node } of [...roots, ...nodes.flatMap(({ inputs }) => inputs)]) {
    uses.set(node, (uses.get(node) ?? 0) + 1);
  }
  const norms = nodes.filter((node) => isOp(node, batchNormGradOp));
  const sums = new Map<Node, Node>();
  for (const node of norms) {
    const [{ node: sum }] = node.inputs as [Tensor];
    const alone = isPlainSum(sum) && uses.get(sum) === 1;
    if (alone && (node.attrs as BatchNormGradAttrs).residual) sums.set(node, sum);
  }
  const absorbed = new Set(sums.values());
  return rewriteGraph(source, nodes, (node, inputs, target, map) => {
    if (absorbed.has(node)) return [];
    if (!isOp(node, batchNormGradOp)) return null;
    const attrs = node.attrs as BatchNormGradAttrs;
    const sum = sums.get(node);
    if (sum !== undefined) {
      const [a, b] = sum.inputs as [Tensor, Tensor];
      const members = [sum, node].flatMap(membersOf);
      const others = [a, ...node.inputs.slice(1), b].map(map);
      return target.replay({ ...node, members }, others, batchNormGradOp, { ...attrs, second: true });
    }
    const norm = node.inputs[4]?.node;
    if (norm === undefined || !isOp(norm, batchNormOp) || norm.inputs.length > 5) return null;
    const beta = map(norm.inputs[2]!);
    return target.replay<BatchNormGradAttrs>(
      node as Node<BatchNormGradAttrs>,
      [...inputs().slice(0, 4), beta],
      batchNormGradOp,
      { ...attrs, sign: "x" },
    );
  });
}
