import { addOp } from "../../../ops/add.ts";
import { type BatchNormGradAttrs, batchNormGradOp } from "../../../ops/batch_norm_grad.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Node } from "../../graph/node.ts";
import type { OpDef } from "../../graph/op.ts";
import type { Tensor } from "../../graph/tensor.ts";
import { rewriteGraph } from "../rewrite.ts";

/**
 * Lets the gradient of the batch norm at the end of a residual block add the two gradients that reach it itself, where
 * nothing else reads their sum. It keeps what it adds up, so that they are read once. Nodes are those that `roots` need.
 */
export function fuseAddNormGrad(
  source: Pick<Graph, "mode" | "imageLayout">,
  nodes: readonly Node[],
  roots: readonly Tensor[],
): { graph: Graph; map: (tensor: Tensor) => Tensor } {
  const uses = new Map<Node, number>();
  for (const { node } of [...roots, ...nodes.flatMap(({ inputs }) => inputs)]) {
    uses.set(node, (uses.get(node) ?? 0) + 1);
  }
  const isOp = (node: Node, op: OpDef<never>) => (node.op as OpDef<never>) === op;
  const sumOf = (node: Node): Node | null => {
    if (!isOp(node, batchNormGradOp) || !(node.attrs as BatchNormGradAttrs).residual) return null;
    const [{ node: sum }] = node.inputs as [Tensor];
    return isOp(sum, addOp) && uses.get(sum) === 1 ? sum : null;
  };
  const absorbed = new Set(nodes.flatMap((node) => sumOf(node) ?? []));
  return rewriteGraph(source, nodes, (node, _inputs, target, map) => {
    if (absorbed.has(node)) return [];
    const sum = sumOf(node);
    if (sum === null) return null;
    const [a, b] = sum.inputs as [Tensor, Tensor];
    const members = [sum, node].flatMap((member) => member.members ?? [member.id]);
    const attrs: BatchNormGradAttrs = { ...node.attrs as BatchNormGradAttrs, second: true };
    return target.replay({ ...node, members }, [a, ...node.inputs.slice(1), b].map(map), batchNormGradOp, attrs);
  });
}
