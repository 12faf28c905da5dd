import type { Result, VariantResult } from "../../result/schema.ts";
import { compareLosses, type LossAgreement } from "./losses.ts";

/** Check of a variant's losses in a second run. */
export interface LossCheck {
  readonly name: string;
  /** Number of losses to reproduce. */
  readonly wanted: number;
  readonly losses: LossAgreement;
  /** True if both runs used the same kernels in the same order; otherwise losses may differ. */
  readonly samePlan: boolean;
  /** Reason why the second run lacks losses; null if it has them. */
  readonly failed: string | null;
  readonly identical: boolean;
}

/**
 * Checks that a second run reproduces the losses of the first, bit by bit. Skips variants without losses in the first run.
 *
 * @param most maximum number of steps to check
 */
export function verifyLosses(then: Result, now: Result, most = Infinity): LossCheck[] {
  return then.variants.filter(hasLosses).map((variant) => {
    const other = now.variants.find(({ name }) => name === variant.name);
    const wanted = variant.losses.slice(0, most).filter((loss) => loss !== null).length;
    const losses = compareLosses(variant.losses, other?.losses ?? [], most);
    const failed = other === undefined ? "the variant is missing from the second run" : other.error?.message ?? null;
    const identical = losses.first === null && losses.steps === wanted;
    return {
      name: variant.name,
      wanted,
      losses,
      samePlan: variant.planFingerprint === other?.planFingerprint,
      failed: losses.steps < wanted ? failed ?? `it ended after ${losses.steps} steps` : null,
      identical,
    };
  });
}

/** Returns true if a variant has losses to reproduce. */
export function hasLosses({ losses }: VariantResult): boolean {
  return losses.some((loss) => loss !== null);
}
