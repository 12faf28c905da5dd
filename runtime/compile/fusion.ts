/**
 * Joins ops into one kernel. Each pattern has a file of its own in `fusion/`: those here find combinations of forward ops
 * whose fused op brings its own gradient; chains of elementwise ops, and what norms' gradients take in on GPUs, are found when
 * the backward pass is there (`fusion/elementwise.ts`, `fusion/norm_grad.ts`).
 *
 * @module
 */
import type { Node } from "../graph/op.ts";
import { type FusionName, FUSIONS } from "../scenario/fusion_names.ts";
import { addRelu } from "./fusion/add_relu.ts";
import { biasActivation } from "./fusion/bias_activation.ts";
import { normAddRelu } from "./fusion/norm_add_relu.ts";
import { normRelu } from "./fusion/norm_relu.ts";
import { type Match, type Pattern, Uses } from "./fusion/pattern.ts";
import { type Program, rewriteProgram } from "./rewrite.ts";

export { fuseNormGrad } from "./fusion/norm_grad.ts";
export { fuseElementwise } from "./fusion/elementwise.ts";

/** Null: not among forward ops alone. */
const PATTERNS: Readonly<Record<FusionName, Pattern | null>> = {
  "bn-add-relu": normAddRelu,
  "bn-relu": normRelu,
  "bias-activation": biasActivation,
  "add-relu": addRelu,
  elementwise: null,
};

/** The names that a setting stands for. */
export function fusionsOf(setting: boolean | readonly FusionName[]): readonly FusionName[] {
  return setting === true ? FUSIONS : setting === false ? [] : setting;
}

/** Fuses forward ops. Where several patterns fit, the first of `FUSIONS` counts; no node is part of two. */
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
    // Nothing but the fused node reads what an absorbed one would have made
    return taken.has(node) ? [] : null;
  });
}
