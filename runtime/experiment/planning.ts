import { checkBudget, memoryLimit, type Resident } from "../compile/budget.ts";
import { type CompiledVariant, compileVariant, epochBatches } from "../compile/variant.ts";
import { InputError, TachoError } from "../core/errors.ts";
import { type DatasetDescription, describeDataset } from "../data/describe.ts";
import type { AdapterInfo } from "../device/adapter.ts";
import type { DeviceTraits } from "../device/traits.ts";
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
  /** The most of them, while steps get faster still. */
  readonly maxSkip: number;
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

/** Plans one variant, or says why that cannot be. */
export function planOne(variant: ResolvedVariant, traits: DeviceTraits, adapterName: string): Planned {
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
    if (config.target !== null && config.target.accuracy !== null && dataset.test === null) {
      throw new InputError("target.accuracy: the data has no test split; name a target.loss or give the data one");
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

/** What the variants may take together, as a check: to be made before they take any. */
export function memoryCheck(
  { memoryBudget }: ResolvedScenario,
  adapter: Pick<AdapterInfo, "fallback">,
): (planned: readonly Pick<Planned, "variant" | "compiled">[]) => void {
  const source = memoryBudget === null ? "80 % of the free system memory" : "the memoryBudget";
  const limit = memoryLimit(memoryBudget, adapter);
  return (planned) => checkBudget(residents(planned), limit, source);
}

/** What the arms take on the device. */
export function residents(planned: readonly Pick<Planned, "variant" | "compiled">[]): Resident[] {
  return planned.flatMap(({ variant, compiled }) =>
    compiled === null ? [] : [{ name: variant.name, memory: compiled.memory }]
  );
}

/** How many steps are run; an epoch is that of the baseline. */
export function scheduleOf(scenario: ResolvedScenario, planned: readonly Planned[]): Schedule {
  const { steps, skip, maxSkip, rounds } = scenario.measure;
  if (scenario.epochs === null) return { skip, maxSkip, steps, rounds, epochs: false };
  const baseline = planned.find(({ variant }) => variant.name === scenario.baseline) ?? planned[0]!;
  return {
    skip,
    maxSkip,
    steps: epochBatches(baseline.variant.config, baseline.dataset),
    rounds: scenario.epochs,
    epochs: true,
  };
}
