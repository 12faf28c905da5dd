/**
 * Fusion of ops into one kernel. Each pattern has its own file in `fusion/`. The patterns listed here match forward
 * ops; the fused op defines its own gradient. Two more passes run after the backward pass is added: chains of
 * elementwise ops (`fusion/elementwise.ts`), and gradients of norms on GPUs (`fusion/norm_grad.ts`).
 *
 * @module
 */
import type { Node } from "../graph/op.ts";
import { type FusionName, FUSIONS } from "../scenario/fusion_names.ts";
import { biasActivation } from "./fusion/bias_activation.ts";
import { type Match, type Pattern, Uses } from "./fusion/pattern.ts";
import { addRelu, normAddRelu, normRelu } from "./fusion/relu.ts";
import { type Program, rewriteProgram } from "./rewrite.ts";

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
    if (match !== undefined) return match.build(target, map, match.members.map(({ id }) => id));
    // Only the fused node reads the outputs of an absorbed node
    return taken.has(node) ? [] : null;
  });
}
