import type { VariantResult } from "../../result/variant.ts";
import { advise } from "./advise.ts";
import type { AdviceInput } from "./input.ts";

/** What holds for all variants of a run. */
export type AdviceContext = Omit<AdviceInput, "variant" | "baseline" | "samples">;

/**
 * The variants with what is to be said of each.
 *
 * @param samples of the data of each variant, by its name
 */
export function adviseAll(
  variants: readonly VariantResult[],
  baseline: string,
  context: AdviceContext,
  samples: ReadonlyMap<string, number>,
): VariantResult[] {
  const reference = variants.find(({ name }) => name === baseline) ?? null;
  return variants.map((variant) => ({
    ...variant,
    findings: advise({
      ...context,
      variant,
      baseline: reference === variant ? null : reference,
      samples: samples.get(variant.name) ?? null,
    }),
  }));
}
