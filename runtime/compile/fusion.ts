/**
 * Fusion of ops into one kernel. The patterns here match forward ops; the fused op defines its own gradient. Two more passes run after the backward pass is added: chains of
 * elementwise ops (`fusion/elementwise.ts`), and gradients of norms on GPUs (`fusion/norm_grad.ts`).
 *
 * @module
 */

import { membersOf, type Node, type OpDef, type Tensor } from "../graph/op.ts";
import { type FusionName, FUSIONS } from "../scenario/fusion_names.ts";
import { isOp, isPlainSum, type Match, type Pattern, Uses } from "./fusion/pattern.ts";
import { type Program, rewriteProgram } from "./rewrite.ts";
import { isActivation } from "../../ops/activation.ts";
import { type ActivatedAttrs, withActivation } from "../../ops/with_activation.ts";
import { addReluOp } from "../../ops/add_relu.ts";
import { type BatchNormAttrs, batchNormInferOp, batchNormOp, thenRelu } from "../../ops/batch_norm.ts";
import { reluOp } from "../../ops/relu.ts";

/**
 * Convolution or matrix product + activation: the kernel applies the activation before it writes its results. The
 * activation's input is not kept, so training fuses only activations whose derivative needs the output alone, not GELU.
 */
const biasActivation: Pattern = (node, uses) => {
  const input = node.inputs[0];
  const op: OpDef<never> = node.op;
  if (input === undefined || !isActivation(op) || !uses.sole(input)) return null;
  const { roles = [] } = input.node.op;
  if (!roles.includes("product") || roles.includes("attention")) return null;
  if (op.derivativeFrom !== "y" && uses.program.graph.mode === "train") return null;
  const product: Node = input.node;
  const attrs: ActivatedAttrs<unknown> = {
    base: product.attrs,
    form: op.elementwise(node.attrs as never),
    derivative: op.derivativeFrom === "y" ? op.derivative(node.attrs as never) : null,
  };
  return {
    members: [product, node],
    build: (target, map, members) =>
      target.replay(
        { ...product, members, op: withActivation(product.op), attrs },
        product.inputs.map(map),
      ),
  };
};

/** Addition + ReLU: the sum is not written to memory. */
const addRelu: Pattern = (node, uses) => {
  const sum = inputOfRelu(node, uses);
  if (sum === null || !isPlainSum(sum.node)) return null;
  return {
    members: [sum.node, node],
    build: (target, map, members) => target.replay({ ...node, members }, sum.node.inputs.map(map), addReluOp, {}),
  };
};

/** Batch norm + ReLU: applied while the normalised values are in registers; the gradient masks dy when it reads it. */
const normRelu: Pattern = (node, uses) => {
  const input = inputOfRelu(node, uses);
  return input === null || !isPlainNorm(input) ? null : withRelu(input.node, [node], null);
};

/** Batch norm + addition + ReLU, the end of a residual block. */
const normAddRelu: Pattern = (node, uses) => {
  const sum = inputOfRelu(node, uses);
  if (sum === null || !isPlainSum(sum.node)) return null;
  const [a, b] = sum.node.inputs as readonly [Tensor, Tensor];
  const fusable = (tensor: Tensor) => isPlainNorm(tensor) && uses.sole(tensor);
  if (fusable(a)) return withRelu(a.node, [sum.node, node], b);
  if (fusable(b)) return withRelu(b.node, [sum.node, node], a);
  return null;
};

/** Returns the input of a ReLU that nothing else reads, or null. */
function inputOfRelu(node: Node, uses: Uses): Tensor | null {
  const input = node.inputs[0];
  return isOp(node, reluOp) && input !== undefined && uses.sole(input) ? input : null;
}

/** Returns a match that merges a ReLU and, before it, the addition of `residual` into a batch norm. */
function withRelu(norm: Node, others: readonly Node[], residual: Tensor | null): Match {
  const attrs = thenRelu(norm.attrs as BatchNormAttrs);
  return {
    members: [norm, ...others],
    build: (target, map, members) =>
      target.replay({ ...norm, members, attrs }, [...norm.inputs, ...(residual === null ? [] : [residual])].map(map)),
  };
}

/** Returns true if a tensor is the output of a batch norm without activation and residual. */
function isPlainNorm({ node, index }: Tensor): boolean {
  return (isOp(node, batchNormOp) || isOp(node, batchNormInferOp)) && index === 0 && node.inputs.length === 5 &&
    (node.attrs as BatchNormAttrs).activation === "none";
}

/** Pattern of each fusion among forward ops; null for fusions that need the backward pass. */
const PATTERNS: Readonly<Record<FusionName, Pattern | null>> = {
  "bn-add-relu": normAddRelu,
  "bn-relu": normRelu,
  "bias-activation": biasActivation,
  "add-relu": addRelu,
  elementwise: null,
};

/** Returns the fusions that a setting enables. */
export function fusionsOf(setting: boolean | readonly FusionName[]): readonly FusionName[] {
  return setting === true ? FUSIONS : setting === false ? [] : setting;
}

/** Fuses forward ops. If several patterns match, the first in `FUSIONS` wins; a node belongs to at most one match. */
export function applyFusion(program: Program, names: readonly FusionName[] = FUSIONS): Program {
  const uses = new Uses(program);
  const patterns = FUSIONS.filter((name) => names.includes(name)).flatMap((name) => PATTERNS[name] ?? []);
  const matches = new Map<Node, Match>();
  const taken = new Set<Node>();
  for (const node of program.graph.nodes) {
    const match = patterns.map((pattern) => pattern(node, uses)).find((match) =>
      match !== null && match.members.every((member) => !taken.has(member))
    );
    if (match == null) continue;
    matches.set(node, match);
    for (const member of match.members) taken.add(member);
  }
  return rewriteProgram(program, (node, _inputs, target, map) => {
    const match = matches.get(node);
    if (match !== undefined) return match.build(target, map, match.members.flatMap(membersOf));
    // Only the fused node reads the outputs of an absorbed node
    return taken.has(node) ? [] : null;
  });
}
