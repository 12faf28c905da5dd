import { checkBudget, memoryLimit, type Resident } from "../compile/budget.ts";
import type { MemoryUse } from "../compile/plan.ts";
import { type CompiledVariant, compileVariant, epochBatches, epochSteps, evaluates } from "../compile/variant.ts";
import { InputError, TachoError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { type DatasetDescription, describeDataset, samplesNoun } from "../data/describe.ts";
import type { AdapterInfo } from "../device/adapter.ts";
import { checkWeights } from "../engine/load_weights.ts";
import type { DeviceTraits } from "../device/traits.ts";
import type { ResolvedScenario, ResolvedVariant } from "../scenario/resolve.ts";
import { checkRankBatch, rankConfig } from "./distributed/ranks.ts";

/** A compiled variant, or the error that prevents it. */
export interface Planned {
  readonly variant: ResolvedVariant;
  readonly dataset: DatasetDescription;
  /** Compiled plan; null without a model. */
  readonly compiled: CompiledVariant | null;
  readonly error: TachoError | null;
}

/** Numbers of steps and rounds, the same for all variants before rounding up to whole sinks. */
export interface Schedule {
  /** Minimum number of warm-up steps. */
  readonly skip: number;
  /** Maximum number of warm-up steps, while step times still fall. */
  readonly maxSkip: number;
  /** Steps per block. */
  readonly steps: number;
  readonly rounds: number;
  /** True if every block is an epoch. */
  readonly epochs: boolean;
}

/** Adapter that variants are planned for, and its memory. */
export interface PlanTarget {
  readonly traits: DeviceTraits;
  readonly adapterName: string;
  readonly memory: MemoryLimit;
  /** Ranks that share the training of distributed variants. Default 1. */
  readonly ranks?: number;
}

/** Memory that the variants of a run may use together. */
export interface MemoryLimit {
  /** Limit in bytes; null for none. */
  readonly bytes: number | null;
  /** Origin of the limit, for messages. */
  readonly source: string;
}

/**
 * Plans every variant for an adapter. A variant that the adapter cannot run, that does not fit in memory even alone, or whose
 * shapes do not fit together, carries its error.
 *
 * @throws {TachoError} the first error, if no variant can run and there are no programs
 */
export function planAll(scenario: ResolvedScenario, target: PlanTarget): Planned[] {
  const planned = scenario.variants.map((variant) => planOne(variant, target));
  const [first] = planned;
  if (
    scenario.programs.length === 0 && first !== undefined && first.error !== null &&
    planned.every((each) => each.error !== null)
  ) throw first.error;
  return planned;
}

/** Plans one variant. Returns an error of the variant instead of throwing it. */
export function planOne(
  variant: ResolvedVariant,
  { traits, adapterName, memory: limit, ranks = 1 }: PlanTarget,
): Planned {
  const { name, config } = variant;
  const dataset = describeDataset(config.data);
  try {
    if (epochBatches(config, dataset) === 0) {
      throw new InputError(
        `loader.batchSize is ${config.loader.batchSize}, but the data has only ${dataset.train.length} ` +
          `${samplesNoun(dataset.unit)}; expected at most that many, or dropLast: false`,
      );
    }
    if (epochSteps(config, dataset) === 0) {
      throw new InputError(
        `accumulate is ${config.accumulate}, but an epoch has only ${epochBatches(config, dataset)} batches of ` +
          `${config.loader.batchSize}; expected at most that many, or a smaller loader.batchSize`,
      );
    }
    if (config.evaluate !== null && dataset.test === null) {
      throw new InputError("evaluate: the data has no test split; leave evaluate out or give the data one");
    }
    if (config.target !== null && config.target.accuracy !== null && dataset.test === null) {
      throw new InputError("target.accuracy: the data has no test split; name a target.loss or give the data one");
    }
    if (config.model === null) return { variant, dataset, compiled: null, error: null };
    if (config.amp.level !== "O0" && !traits.f16) {
      throw new InputError(
        `amp is ${config.amp.level}, but the adapter "${adapterName}" has no shader-f16; use amp O0 or another adapter`,
      );
    }
    const checkMemory = (memory: MemoryUse, least: boolean) =>
      checkBudget([{ name, memory, least }], limit.bytes, limit.source);
    checkRankBatch(config, ranks);
    const compiled = compileVariant(rankConfig(config, ranks), dataset, traits, { checkMemory });
    if (compiled.weights !== null) checkWeights(compiled.plan, compiled.weights);
    return { variant, dataset, compiled, error: null };
  } catch (error) {
    if (!isInstance(error, TachoError)) throw error;
    return { variant, dataset, compiled: null, error };
  }
}

/** Returns the memory limit of a scenario: its budget, or part of the memory that is available now. */
export function memoryLimitOf(
  { memoryBudget }: ResolvedScenario,
  adapter: Pick<AdapterInfo, "fallback">,
): MemoryLimit {
  const source = memoryBudget === null ? "80 % of the free system memory" : "the memoryBudget";
  return { bytes: memoryLimit(memoryBudget, adapter), source };
}

/**
 * Checks that variants fit in memory together.
 *
 * @param separate true if they run in separate processes
 * @throws {InputError} if they do not
 */
export function checkTogether(
  planned: readonly Pick<Planned, "variant" | "compiled">[],
  { bytes, source }: MemoryLimit,
  separate = false,
): void {
  checkBudget(residents(planned), bytes, source, separate);
}

/** Returns the device memory of each variant with a model. */
export function residents(planned: readonly Pick<Planned, "variant" | "compiled">[]): Resident[] {
  return planned.flatMap(({ variant, compiled }) =>
    compiled === null ? [] : [{ name: variant.name, memory: compiled.memory }]
  );
}

/** Returns the schedule of a scenario. An epoch has the length of the baseline's. */
export function scheduleOf(scenario: ResolvedScenario, planned: readonly Planned[]): Schedule {
  const { steps, skip, maxSkip, rounds } = scenario.measure;
  if (scenario.epochs === null) return { skip, maxSkip, steps, rounds, epochs: false };
  const baseline = planned.find(({ variant }) => variant.name === scenario.baseline) ?? planned[0]!;
  return {
    skip,
    maxSkip,
    steps: epochSteps(baseline.variant.config, baseline.dataset),
    rounds: scenario.epochs,
    epochs: true,
  };
}

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
