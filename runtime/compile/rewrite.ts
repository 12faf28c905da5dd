import { Graph } from "../graph/graph.ts";
import { type LeafAttrs, leafOp } from "../graph/leaf.ts";
import type { Node, OpDef, Tensor } from "../graph/op.ts";
import type { TensorType } from "../graph/types.ts";

/** A graph with the tensors that a plan computes. */
export interface Program {
  readonly graph: Graph;
  /** The model's output. */
  readonly output: Tensor;
  /** Mean loss of a batch, f32 `[1]`; null without a loss. */
  readonly loss: Tensor | null;
}

/** Replaces a node by other nodes and returns its outputs, or returns null to copy the node unchanged. */
export type Rewrite = (
  node: Node,
  /** Returns the node's inputs in the new graph. */
  inputs: () => Tensor[],
  target: Graph,
  /** Returns the new graph's tensor for any tensor computed before the node. */
  map: (tensor: Tensor) => Tensor,
) => Tensor[] | null;

/** Copies a forward program node by node. */
export function rewriteProgram(
  program: Program,
  rewrite: Rewrite,
  leafType: (attrs: LeafAttrs) => TensorType = (attrs) => attrs.type,
): Program {
  const { graph, map } = rewriteGraph(program.graph, program.graph.nodes, rewrite, leafType);
  return { graph, output: map(program.output), loss: program.loss === null ? null : map(program.loss) };
}

/** Copies nodes, given in an order in which they can run, to a new graph. */
export function rewriteGraph(
  { mode, imageLayout, attention }: Pick<Graph, "mode" | "imageLayout" | "attention">,
  nodes: readonly Node[],
  rewrite: Rewrite,
  leafType: (attrs: LeafAttrs) => TensorType = (attrs) => attrs.type,
): { graph: Graph; map: (tensor: Tensor) => Tensor } {
  const target = new Graph(mode, imageLayout, attention);
  const mapped = new Map<Node, Tensor[]>();
  const map = (tensor: Tensor) => {
    const found = mapped.get(tensor.node)?.[tensor.index];
    if (found === undefined) throw new Error(`${tensor.node.id}: output ${tensor.index} was removed`);
    return found;
  };
  for (const node of nodes) {
    if ((node.op as OpDef<never>) === leafOp) {
      const attrs = node.attrs as LeafAttrs;
      mapped.set(node, [target.leaf(attrs.kind, node.id, leafType(attrs), attrs.initializer)]);
      continue;
    }
    const inputs = () => node.inputs.map(map);
    mapped.set(node, rewrite(node, inputs, target, map) ?? target.replay(node, inputs()));
  }
  return { graph: target, map };
}
