import type { Result, VariantResult } from "../../result/schema.ts";
import { compareLosses, type LossAgreement } from "./losses.ts";

/** Whether a variant's losses came out again. */
export interface LossCheck {
  readonly name: string;
  /** Steps whose losses had to come out again. */
  readonly wanted: number;
  readonly losses: LossAgreement;
  /** Whether both runs used the same kernels in the same order, without which losses need not be identical. */
  readonly samePlan: boolean;
  /** Why the second run has no losses; null where it has. */
  readonly failed: string | null;
  readonly identical: boolean;
}

/**
 * Checks that a second run gives the losses of the first again, to the last bit. Variants without losses in the first run
 * are left out.
 *
 * @param most steps to check at the most
 */
export function verifyLosses(then: Result, now: Result, most = Infinity): LossCheck[] {
  return then.variants.filter(hasLosses).map((variant) => {
    const other = now.variants.find(({ name }) => name === variant.name);
    const wanted = variant.losses.slice(0, most).filter((loss) => loss !== null).length;
    const losses = compareLosses(variant.losses, other?.losses ?? [], most);
    const failed = other === undefined ? "there is no such variant now" : other.error?.message ?? null;
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

/** Whether a variant has losses that can come out again. */
export function hasLosses({ losses }: VariantResult): boolean {
  return losses.some((loss) => loss !== null);
}
