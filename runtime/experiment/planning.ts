import { checkBudget, memoryLimit } from "../compile/budget.ts";
import { type CompiledVariant, compileVariant, epochBatches } from "../compile/variant.ts";
import { InputError, TachoError } from "../core/errors.ts";
import { type DatasetDescription, describeDataset } from "../data/describe.ts";
import { type AdapterInfo, findAdapter } from "../device/adapter.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../device/traits.ts";
import type { DryRun, DryRunVariant } from "../result/dry_run.ts";
import type { VariantResult } from "../result/schema.ts";
import { describeConfig } from "../scenario/describe.ts";
import type { ResolvedScenario, ResolvedVariant } from "../scenario/resolve.ts";

/** A variant that is ready to be run, or why it is not. */
export interface Planned {
  readonly variant: ResolvedVariant;
  readonly dataset: DatasetDescription;
  /** Null without a model. */
  readonly compiled: CompiledVariant | null;
  readonly error: TachoError | null;
}

/** Steps of a run, the same for all variants before they are rounded up to whole sinks. */
export interface Schedule {
  readonly skip: number;
  /** Steps of a block. */
  readonly steps: number;
  readonly rounds: number;
  /** An epoch is a block. */
  readonly epochs: boolean;
}

/**
 * Plans every variant for an adapter. A variant that this adapter cannot run, or whose shapes do not fit, carries its
 * error; when none can be run the first error is thrown.
 */
export function planAll(scenario: ResolvedScenario, traits: DeviceTraits, adapterName: string): Planned[] {
  const planned = scenario.variants.map((variant) => planOne(variant, traits, adapterName));
  const [first] = planned;
  if (first !== undefined && first.error !== null && planned.every((each) => each.error !== null)) throw first.error;
  return planned;
}

function planOne(variant: ResolvedVariant, traits: DeviceTraits, adapterName: string): Planned {
  const { config } = variant;
  const dataset = describeDataset(config.data);
  try {
    if (epochBatches(config, dataset) === 0) {
      throw new InputError(
        `loader.batchSize is ${config.loader.batchSize}, but the data has only ${dataset.train.length} ` +
          `${dataset.unit}; expected at most that many, or dropLast: false`,
      );
    }
    if (config.evaluate !== null && dataset.test === null) {
      throw new InputError("evaluate: the data has no test split; leave evaluate out or give the data one");
    }
    if (config.model === null) return { variant, dataset, compiled: null, error: null };
    if (config.amp.level !== "O0" && !traits.f16) {
      throw new InputError(
        `amp is ${config.amp.level}, but the adapter "${adapterName}" has no shader-f16; use amp O0 or another --adapter`,
      );
    }
    return { variant, dataset, compiled: compileVariant(config, dataset, traits), error: null };
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    return { variant, dataset, compiled: null, error };
  }
}

/** Throws `InputError` when the variants do not fit the memory together. */
export function checkMemory(planned: readonly Planned[], scenario: ResolvedScenario, traits: DeviceTraits): void {
  const resident = planned.flatMap(({ variant, compiled }) =>
    compiled === null ? [] : [{ name: variant.name, memory: compiled.memory }]
  );
  const source = scenario.memoryBudget === null ? "80 % of the free system memory" : "the memoryBudget";
  checkBudget(resident, memoryLimit(scenario.memoryBudget, traits), source);
}

/** How many steps are run; an epoch is that of the baseline. */
export function scheduleOf(scenario: ResolvedScenario, planned: readonly Planned[]): Schedule {
  const { steps, skip, rounds } = scenario.measure;
  if (scenario.epochs === null) return { skip, steps, rounds, epochs: false };
  const baseline = planned.find(({ variant }) => variant.name === scenario.baseline) ?? planned[0]!;
  return {
    skip,
    steps: epochBatches(baseline.variant.config, baseline.dataset),
    rounds: scenario.epochs,
    epochs: true,
  };
}

/**
 * Plans every variant for the adapter at hand, or for a usual GPU where there is none. No device is opened.
 */
export async function dryRun(scenario: ResolvedScenario, options: { adapter?: string } = {}): Promise<DryRun> {
  const found = await findAdapter({ probe: false, ...options.adapter === undefined ? {} : { match: options.adapter } });
  const info: AdapterInfo | null = found?.info ?? null;
  const traits = found?.traits ?? DEFAULT_TRAITS;
  return {
    scenario: scenario.name,
    baseline: scenario.baseline,
    adapter: info?.name ?? null,
    variants: scenario.variants.map((variant) => describeVariant(planOne(variant, traits, info?.name ?? "none"))),
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
