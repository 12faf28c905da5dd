import { biasActivationGradOp } from "../../../ops/activation_grad.ts";
import { biasGradOp } from "../../../ops/bias_grad.ts";
import { castOp } from "../../../ops/cast.ts";
import { conv2dWeightGradOp } from "../../../ops/conv2d_weight_grad.ts";
import { linearWeightGradOp } from "../../../ops/linear_weight_grad.ts";
import type { Graph } from "../../graph/graph.ts";
import type { Node } from "../../graph/node.ts";
import type { OpDef } from "../../graph/op.ts";
import type { Tensor } from "../../graph/tensor.ts";
import type { TensorType } from "../../graph/types.ts";
import { rewriteGraph } from "../rewrite.ts";

/** An output whose type stands in an attribute. */
interface Typed {
  readonly output: number;
  readonly attribute: "weight" | "bias";
}

const GRADIENTS: ReadonlyMap<OpDef<never>, Typed> = new Map<OpDef<never>, Typed>([
  [conv2dWeightGradOp, { output: 0, attribute: "weight" }],
  [linearWeightGradOp, { output: 0, attribute: "weight" }],
  [biasGradOp, { output: 0, attribute: "bias" }],
  [biasActivationGradOp, { output: 1, attribute: "bias" }],
]);

/**
 * Lets gradients to weights and biases be written in the type that they are cast to, where nothing else reads them: their sums
 * are in f32 anyway, and a GPU spends more on starting a small dispatch than on its work. Nodes are those that `roots` need.
 */
export function fuseCastWeightGrad(
  source: Pick<Graph, "mode" | "imageLayout">,
  nodes: readonly Node[],
  roots: readonly Tensor[],
): { graph: Graph; map: (tensor: Tensor) => Tensor } {
  const uses = new Map<string, number>();
  for (const tensor of [...roots, ...nodes.flatMap(({ inputs }) => inputs)]) {
    uses.set(key(tensor), (uses.get(key(tensor)) ?? 0) + 1);
  }
  const casts = new Map<Node, Node>();
  for (const node of nodes) {
    const [gradient] = node.inputs;
    if ((node.op as OpDef<never>) !== castOp || gradient === undefined || uses.get(key(gradient)) !== 1) continue;
    if (GRADIENTS.get(gradient.node.op as OpDef<never>)?.output === gradient.index) casts.set(gradient.node, node);
  }
  const vanishing = new Set(casts.values());
  return rewriteGraph(source, nodes, (node, inputs, target) => {
    if (vanishing.has(node)) return inputs();
    const cast = casts.get(node);
    if (cast === undefined) return null;
    const { attribute } = GRADIENTS.get(node.op as OpDef<never>)!;
    const attrs = node.attrs as Readonly<Record<string, unknown>>;
    const type: TensorType = { ...attrs[attribute] as TensorType, dtype: cast.outputs[0]!.dtype };
    const members = [node, cast].flatMap((member) => member.members ?? [member.id]);
    return target.replay({ ...node, members }, inputs(), node.op, { ...attrs, [attribute]: type });
  });
}

function key(tensor: Tensor): string {
  return `${tensor.node.id}:${tensor.index}`;
}
