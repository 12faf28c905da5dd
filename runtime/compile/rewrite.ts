import { Graph } from "../graph/graph.ts";
import { type LeafAttrs, leafOp } from "../graph/leaf.ts";
import type { Node } from "../graph/node.ts";
import type { OpDef } from "../graph/op.ts";
import type { Tensor } from "../graph/tensor.ts";
import type { TensorType } from "../graph/types.ts";

/** A graph with the tensors that a plan is made for. */
export interface Program {
  readonly graph: Graph;
  /** What the model returns. */
  readonly output: Tensor;
  /** The mean loss of a batch, `f32[1]`; null without a loss. */
  readonly loss: Tensor | null;
}

/**
 * Copies a forward program node by node. `rewrite` may add other nodes in a node's place and returns its outputs, or
 * returns null to have the node copied as it is; `inputs` are the node's inputs in the new graph.
 */
export function rewriteProgram(
  program: Program,
  rewrite: (node: Node, inputs: Tensor[], target: Graph) => Tensor[] | null,
  leafType: (attrs: LeafAttrs) => TensorType = (attrs) => attrs.type,
): Program {
  const target = new Graph(program.graph.mode);
  const mapped = new Map<Node, Tensor[]>();
  const map = (tensor: Tensor) => mapped.get(tensor.node)![tensor.index]!;
  for (const node of program.graph.nodes) {
    if ((node.op as OpDef<never>) === leafOp) {
      const attrs = node.attrs as LeafAttrs;
      mapped.set(node, [target.leaf(attrs.kind, node.id, leafType(attrs), attrs.initializer)]);
      continue;
    }
    const inputs = node.inputs.map(map);
    mapped.set(node, rewrite(node, inputs, target) ?? target.replay(node, inputs));
  }
  return { graph: target, output: map(program.output), loss: program.loss === null ? null : map(program.loss) };
}
