import type { GateOutcome } from "../../analysis/gates/evaluate_gates.ts";
import type { VariantResult } from "../../result/schema.ts";
import { gateSentence } from "../gates.ts";

/** A condition that a run checks: a variant that completes, or a gate on a variant. */
export interface Check {
  /** Gate as typed, or `completes`. */
  readonly name: string;
  readonly variant: string;
  /** `warning`: an undecided gate that counts as met. */
  readonly state: "met" | "warning" | "unmet";
  /** Result in one line. */
  readonly message: string;
}

/**
 * Returns the checks of a run: first that each variant completes, then each gate.
 *
 * @param undecided treatment of gates whose interval includes the limit
 */
export function checksOf(
  variants: readonly Pick<VariantResult, "name" | "status" | "error">[],
  outcomes: readonly GateOutcome[],
  undecided: "pass" | "fail",
): Check[] {
  const completed = variants.map(({ name, status, error }): Check => ({
    name: "completes",
    variant: name,
    state: status === "ok" ? "met" : "unmet",
    message: status === "ok" ? "completed" : error?.message ?? status,
  }));
  const gated = outcomes.map((outcome): Check => ({
    name: outcome.gate.text,
    variant: outcome.variant,
    state: outcome.state === "pass"
      ? "met"
      : outcome.state === "undecided" && undecided === "pass"
      ? "warning"
      : "unmet",
    message: gateSentence(outcome),
  }));
  return [...completed, ...gated];
}

/** A line of the user's script. */
export interface Place {
  /** Path relative to the root of the repository. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}
