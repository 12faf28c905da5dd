import type { VariantResult } from "../../result/variant.ts";
import { advise } from "./advise.ts";
import type { AdviceInput } from "./input.ts";

/** What holds for all variants of a run. */
export type AdviceContext = Omit<AdviceInput, "variant" | "baseline">;

/** The variants with what is to be said of each. */
export function adviseAll(
  variants: readonly VariantResult[],
  baseline: string,
  context: AdviceContext,
): VariantResult[] {
  const reference = variants.find(({ name }) => name === baseline) ?? null;
  return variants.map((variant) => ({
    ...variant,
    findings: advise({ ...context, variant, baseline: reference === variant ? null : reference }),
  }));
}
