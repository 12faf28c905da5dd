import type { RecomputedPlan } from "../../analysis/advice/context.ts";
import { compileVariant } from "../../compile/variant.ts";
import { TachoError } from "../../core/errors.ts";
import { isInstance } from "../../core/is_instance.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { DeviceTraits } from "../../device/traits.ts";
import type { Config } from "../../scenario/config.ts";

/**
 * Plans a variant with the activations of its blocks computed again, for advice. Returns null if it is not trained, already
 * recomputes, or has no blocks.
 */
export function recomputedPlan(
  config: Config,
  dataset: DatasetDescription,
  traits: DeviceTraits,
): RecomputedPlan | null {
  if (config.model === null || config.optimizer === null || config.recompute !== "none") return null;
  try {
    const { memory, plan: { flops, nodes } } = compileVariant({ ...config, recompute: "blocks" }, dataset, traits);
    const again = nodes.reduce((sum, node) => node.recomputed === true ? sum + node.flops : sum, 0);
    const forward = (flops["forward"] ?? 0) / config.accumulate;
    return forward === 0 ? null : { memory, added: again / forward };
  } catch (error) {
    if (isInstance(error, TachoError)) return null;
    throw error;
  }
}
