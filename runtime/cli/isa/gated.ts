import type { GatedVariant } from "../../analysis/gates/reading.ts";
import { estimateKernels } from "../../isa/estimate.ts";
import { DEFAULT_GPUS, findGpu } from "../../isa/gpus.ts";
import { worstOf } from "../../isa/worst.ts";
import type { DryRunVariant } from "../../result/dry_run.ts";

/** Estimates the kernels of plans, and adds the worst figures to the variants that gates read, in the same order. */
export async function addEstimates(
  variants: readonly GatedVariant[],
  plans: readonly Pick<DryRunVariant, "kernels">[],
): Promise<void> {
  const gpus = DEFAULT_GPUS.map(findGpu);
  for (const [i, variant] of variants.entries()) {
    const { rows } = await estimateKernels(plans[i]?.kernels ?? [], { gpus });
    Object.assign(variant, { isa: worstOf(rows) });
  }
}
