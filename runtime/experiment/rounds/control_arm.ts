import { compileVariant, evaluates } from "../../compile/variant.ts";
import type { DeviceTraits } from "../../device/traits.ts";
import type { ResolvedScenario } from "../../scenario/resolve.ts";
import type { Planned } from "../planning.ts";
import { rankConfig } from "../distributed/ranks.ts";

/**
 * Plans the control arm, a second copy of the baseline under a name that no variant can have. Their difference is the noise
 * floor. Returns null if the scenario disables it, or has nothing to compare.
 *
 * @param ranks number of ranks that share a distributed training
 */
export function planControlArm(
  scenario: ResolvedScenario,
  planned: readonly Planned[],
  traits: DeviceTraits,
  ranks = 1,
): Planned | null {
  const baseline = planned.find(({ variant }) => variant.name === scenario.baseline);
  const runnable = planned.filter(({ error }) => error === null);
  if (
    !scenario.measure.aa || runnable.length + scenario.programs.length < 2 || baseline === undefined ||
    baseline.error !== null
  ) return null;
  const { variant, dataset, compiled } = baseline;
  const config = { ...variant.config, evaluate: null, target: null };
  // The control arm is not evaluated and needs no memory for it
  const own = compiled !== null && evaluates(variant.config)
    ? compileVariant(rankConfig(config, ranks), dataset, traits)
    : compiled;
  return { variant: { ...variant, name: `${variant.name}#2`, config }, dataset, compiled: own, error: null };
}
