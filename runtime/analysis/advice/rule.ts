import type { Change, Finding } from "../../result/finding.ts";
import type { AdviceContext } from "./context.ts";

/** Smallest gain to report: less cannot be told from noise and is not worth a change. */
const MIN_GAIN = 1.01;

/** A change that a rule proposes, and why. */
export interface Advice {
  readonly severity?: Finding["severity"];
  readonly message: string;
  readonly evidence: Finding["evidence"];
  readonly changes: readonly Change[];
  /** Predicted speed / speed today. */
  readonly gain: number;
  readonly reasoning: string;
}

/** Returns a finding, or null where the rule does not apply or predicts too small a gain. */
export type Rule = (context: AdviceContext) => Finding | null;

/** The context with the fields `N` known not to be null. */
export type ContextWith<N extends keyof AdviceContext> =
  & AdviceContext
  & { readonly [K in N]: NonNullable<AdviceContext[K]> };

/**
 * Makes a rule that applies where the context has everything in `needs`.
 *
 * @param kind of its findings
 */
export function rule<N extends keyof AdviceContext>(
  kind: string,
  needs: readonly N[],
  find: (context: ContextWith<N>) => Advice | null,
): Rule {
  const suffices = (context: AdviceContext): context is ContextWith<N> => needs.every((need) => context[need] !== null);
  return (context) => {
    const advice = suffices(context) ? find(context) : null;
    if (advice === null || !Number.isFinite(advice.gain) || advice.gain < MIN_GAIN) return null;
    const { severity = "info", message, evidence, changes, gain, reasoning } = advice;
    return { kind, severity, message, evidence, changes: [...changes], predicted: { gain, reasoning } };
  };
}
