import type { ProgramAdvice } from "../../../result/attach_result.ts";
import type { StepFacts } from "./facts.ts";

/** Smallest fraction of a step that is worth a change. */
const MIN_SHARE = 0.02;

/** Returns advice, or null if the rule does not apply or the change saves too little. */
export type ProgramRule = (facts: StepFacts) => ProgramAdvice | null;

/**
 * Creates a rule.
 *
 * @param kind kind of its advice
 */
export function programRule(
  kind: string,
  find: (facts: StepFacts) => Omit<ProgramAdvice, "kind" | "share"> | null,
): ProgramRule {
  return (facts) => {
    const advice = find(facts);
    if (advice === null) return null;
    const mostMs = Math.min(advice.mostMs, facts.wall);
    const share = mostMs / facts.wall;
    return share >= MIN_SHARE ? { kind, ...advice, mostMs, share } : null;
  };
}
