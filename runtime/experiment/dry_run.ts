import { residentBytes } from "../compile/budget.ts";
import { type AdapterInfo, findAdapter } from "../device/adapter.ts";
import { DEFAULT_TRAITS } from "../device/traits.ts";
import type { DryRun, DryRunVariant } from "../result/dry_run.ts";
import type { VariantResult } from "../result/schema.ts";
import { describeConfig } from "../scenario/describe.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import { type Planned, planOne, residents } from "./planning.ts";
import { planControlArm } from "./rounds/control_arm.ts";

/** Plans every variant for the selected adapter, or for a typical GPU if there is none. Opens no device. */
export async function dryRun(scenario: ResolvedScenario, options: { adapter?: string } = {}): Promise<DryRun> {
  const found = await findAdapter({ probe: false, ...options.adapter === undefined ? {} : { match: options.adapter } });
  const info: AdapterInfo | null = found?.info ?? null;
  const traits = found?.traits ?? DEFAULT_TRAITS;
  const planned = scenario.variants.map((variant) => planOne(variant, traits, info?.name ?? "none"));
  const second = planControlArm(scenario, planned, traits);
  const resident = residents(second === null ? planned : [...planned, second]);
  return {
    scenario: scenario.name,
    baseline: scenario.baseline,
    adapter: info?.name ?? null,
    variants: planned.map(describeVariant),
    resident: resident.length === 0 ? null : { bytes: residentBytes(resident), secondArm: second !== null },
  };
}

function describeVariant({ variant, dataset, compiled, error }: Planned): DryRunVariant {
  return {
    name: variant.name,
    config: describeConfig(variant.config) as VariantResult["config"],
    parameters: compiled?.parameterCount ?? null,
    flops: compiled?.plan.flops ?? null,
    memory: compiled?.memory ?? null,
    inputShape: [variant.config.loader.batchSize, ...dataset.input.shape],
    error: error?.message ?? null,
  };
}
