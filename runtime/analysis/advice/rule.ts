import type { Change, Finding } from "../../result/finding.ts";
import type { AdviceContext } from "./context.ts";

/** Smallest gain to report by default; less is within noise and not worth a change. */
const MIN_GAIN = 1.01;

/** A change that a rule proposes, with reasons. */
export interface Advice {
  readonly severity?: Finding["severity"];
  readonly message: string;
  readonly evidence: Finding["evidence"];
  readonly changes: readonly Change[];
  /** Predicted speed / current speed. */
  readonly gain: number;
  readonly reasoning: string;
}

/** Returns a finding, or null if the rule does not apply or the gain is too small. */
export interface Rule {
  (context: AdviceContext): Finding | null;
  /** Kind of its findings. */
  readonly kind: string;
}

/** The context with non-null fields `N`. */
export type ContextWith<N extends keyof AdviceContext> =
  & AdviceContext
  & { readonly [K in N]: NonNullable<AdviceContext[K]> };

/**
 * Creates a rule that applies if the context has all fields in `needs`.
 *
 * @param kind kind of its findings
 */
export function rule<N extends keyof AdviceContext>(
  kind: string,
  needs: readonly N[],
  find: (context: ContextWith<N>) => Advice | null,
): Rule {
  const suffices = (context: AdviceContext): context is ContextWith<N> => needs.every((need) => context[need] !== null);
  const apply = (context: AdviceContext): Finding | null => {
    const advice = suffices(context) ? find(context) : null;
    if (advice === null || !Number.isFinite(advice.gain) || advice.gain < (context.minGain ?? MIN_GAIN)) return null;
    const { severity = "info", message, evidence, changes, gain, reasoning } = advice;
    return { kind, severity, message, evidence, changes: [...changes], predicted: { gain, reasoning } };
  };
  return Object.assign(apply, { kind });
}
