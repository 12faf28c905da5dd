import { countsPerStep } from "../analysis/exact_counts.ts";
import { residentBytes } from "../compile/budget.ts";
import { planCounts, planKernels } from "../compile/plan_counts.ts";
import { TachoError } from "../core/errors.ts";
import { loadDatasets } from "../data/sources/sources.ts";
import { type AdapterInfo, findAdapter } from "../device/adapter.ts";
import { AMD_TRAITS, DEFAULT_TRAITS } from "../device/traits.ts";
import type { DryRun, DryRunVariant } from "../result/dry_run.ts";
import type { VariantResult } from "../result/schema.ts";
import { describeConfig } from "../scenario/describe.ts";
import type { ResolvedProgram } from "../scenario/program.ts";
import type { ResolvedScenario } from "../scenario/resolve.ts";
import type { MeasureConfig } from "../scenario/schema.ts";
import { programConfig } from "./programs/program_config.ts";
import { checkTogether, memoryLimitOf, planControlArm, type Planned, planOne, residents } from "./planning.ts";
import { isDistributed, rankConfig } from "./distributed/ranks.ts";

/**
 * Plans every variant for the selected adapter, or for a typical GPU if there is none. Opens no device. Of distributed
 * variants, plans the part of one of `ranks` ranks (default 1). With `kernels`, plans for AMD's GPUs, and returns the code.
 */
export async function dryRun(
  scenario: ResolvedScenario,
  options: { adapter?: string | undefined; ranks?: number; kernels?: boolean | undefined } = {},
): Promise<DryRun> {
  await loadDatasets(scenario.variants.map(({ config }) => config.data));
  const { ranks = 1, kernels = false } = options;
  const found = kernels ? null : await findAdapter({ probe: false, match: options.adapter });
  const info: AdapterInfo | null = found?.info ?? null;
  const traits = found?.traits ?? (kernels ? AMD_TRAITS : DEFAULT_TRAITS);
  // Without the permission, the limit is unknown: a dry run needs none
  const sys = Deno.permissions.querySync({ name: "sys", kind: "systemMemoryInfo" });
  const memory = memoryLimitOf(scenario, sys.state === "granted" && info !== null ? info : { fallback: false });
  const target = { traits, adapterName: info?.name ?? "none", memory, ranks };
  const planned = scenario.variants.map((variant) => planOne(variant, target));
  const second = planControlArm(scenario, planned, traits, ranks);
  const together = second === null ? planned : [...planned, second];
  const resident = residents(together);
  return {
    scenario: scenario.name,
    baseline: scenario.baseline,
    adapter: info?.name ?? null,
    adapted: scenario.adapted as DryRun["adapted"],
    ranks: isDistributed(scenario) ? ranks : null,
    variants: [
      ...planned.map((each) => describeVariant(each, { ranks, kernels })),
      ...scenario.programs.map((program) => describeProgram(program, scenario.measure)),
    ],
    resident: resident.length === 0 ? null : { bytes: residentBytes(resident), secondArm: second !== null },
    error: problemOf(() => checkTogether(together, memory)),
  };
}

/** Returns the message of the error for the user that `check` throws; null if it throws none. */
function problemOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof TachoError) return error.message;
    throw error;
  }
}

/** Describes a program, which is not started. */
function describeProgram(program: ResolvedProgram, measure: MeasureConfig): DryRunVariant {
  return {
    name: program.name,
    config: programConfig(program, measure),
    ...{ parameters: null, flops: null, exact: null, memory: null, inputShape: null, error: null },
  };
}

function describeVariant(
  { variant, dataset, compiled, error }: Planned,
  { ranks, kernels }: { readonly ranks: number; readonly kernels: boolean },
): DryRunVariant {
  return {
    ...kernels && compiled !== null ? { kernels: planKernels(compiled.plan) } : {},
    name: variant.name,
    config: describeConfig(variant.config) as VariantResult["config"],
    parameters: compiled?.parameterCount ?? null,
    flops: compiled?.plan.flops ?? null,
    exact: compiled === null
      ? null
      : { ...planCounts(compiled.plan), peakBytes: compiled.memory.peak, ...countsPerStep({}, 0) },
    memory: compiled?.memory ?? null,
    inputShape: dataset.input && [rankConfig(variant.config, ranks).loader.batchSize, ...dataset.input.shape],
    error: error?.message ?? null,
  };
}
