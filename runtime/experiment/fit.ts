import { type Fit, type LargestBatch, largestBatch } from "../compile/largest_batch.ts";
import { type CompiledVariant, compileVariant } from "../compile/variant.ts";
import { InputError, TachoError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { describeDataset } from "../data/describe.ts";
import { loadDatasets } from "../data/sources/sources.ts";
import { findAdapter } from "../device/adapter.ts";
import { DEFAULT_TRAITS, type DeviceTraits } from "../device/traits.ts";
import type { FitOption, FitResult, FitVariant } from "../result/fit.ts";
import { batchesPerStep, type Config, samplesPerStep } from "../scenario/config.ts";
import type { ResolvedScenario, ResolvedVariant } from "../scenario/resolve.ts";
import { memoryLimitOf, planOne } from "./planning.ts";

/** Options of {@linkcode fitBatches}. */
export interface FitOptions {
  readonly adapter?: string | undefined;
  /** Called before each search, with the variant and the number of finished searches. */
  readonly onSearch?: (variant: string, done: number) => void;
}

type Change = FitOption["changes"][number];

/** A plan that is larger than the budget even before its kernels are chosen. */
class OverBudget extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super();
    this.bytes = bytes;
  }
}

/**
 * Finds the largest batch of each variant that fits in the memory budget, and what recomputation and gradient accumulation
 * allow, from plans for the selected adapter, or for a typical GPU if there is none. Opens no device.
 *
 * @throws {InputError} without a budget on an adapter whose memory is unknown
 */
export async function fitBatches(scenario: ResolvedScenario, options: FitOptions = {}): Promise<FitResult> {
  await loadDatasets(scenario.variants.map(({ config }) => config.data));
  const { adapter: match, onSearch = () => {} } = options;
  const found = await findAdapter({ probe: false, match });
  const limit = memoryLimitOf(scenario, found?.info ?? { fallback: false });
  if (limit.bytes === null) {
    const why = found === null
      ? "there is no adapter, whose memory would be the budget"
      : `the memory of ${found.info.name} is unknown`;
    throw new InputError(`fit: ${why}; set a budget, such as memoryBudget=8GiB`);
  }
  const target = { traits: found?.traits ?? DEFAULT_TRAITS, adapterName: found?.info.name ?? "none" };
  let done = 0;
  const search = { ...target, budget: limit.bytes, onSearch: (name: string) => onSearch(name, done++) };
  return {
    scenario: scenario.name,
    adapter: found?.info.name ?? null,
    budget: limit.bytes,
    source: limit.source,
    variants: scenario.variants.map((variant) => fitVariant(variant, search)),
  };
}

interface Search {
  readonly traits: DeviceTraits;
  readonly adapterName: string;
  readonly budget: number;
  onSearch(variant: string): void;
}

function fitVariant(variant: ResolvedVariant, search: Search): FitVariant {
  const { name, config } = variant;
  const samples = samplesPerStep(config);
  if (config.model === null) return { name, samples, peak: null, smallest: null, options: [], error: "has no model" };
  const { length } = describeDataset(config.data).train;
  // One sample takes least: what it cannot do, no batch can
  const first = { ...config, loader: { ...config.loader, batchSize: 1 }, accumulate: 1, sink: 0 } as Config;
  const unlimited = { traits: search.traits, adapterName: search.adapterName, memory: { bytes: null, source: "" } };
  const { compiled, error } = planOne({ ...variant, config: first }, unlimited);
  if (error !== null) return { name, samples, peak: null, smallest: null, options: [], error: error.message };
  const written = planBatch(config, config.loader.batchSize, { ...search, budget: Infinity });
  const peak = "refused" in written ? null : written.bytes;
  const options: FitOption[] = [];
  let own: number | null = null;
  for (const changes of changesOf(config)) {
    search.onSearch(name);
    const changed = applied(config, changes);
    const most = Math.max(1, Math.floor(length / batchesPerStep(changed)));
    let found: LargestBatch<CompiledVariant>;
    try {
      found = largestBatch((batch) => planBatch(changed, batch, search), search.budget, {
        start: changed.loader.batchSize,
        most,
      });
    } catch (error) {
      // Such as a model without blocks to recompute
      if (changes.length === 0 || !isInstance(error, TachoError)) throw error;
      continue;
    }
    const work = found.value === null ? null : workOf(found.value) / found.batch / batchesPerStep(changed);
    if (changes.length === 0) own = work;
    const relative = work === null ? null : work / (own ?? firstWork(first, search));
    options.push(optionOf(found, changes, { samples, length, work: relative, accumulate: batchesPerStep(changed) }));
  }
  return { name, samples, peak, smallest: compiled?.memory.peak ?? null, options, error: null };
}

/** Returns the floating-point operations per sample of a step with one sample. */
function firstWork(first: Config, { traits }: Search): number {
  return workOf(compileVariant(first, describeDataset(first.data), traits));
}

/** Returns the settings to try: as written, with recomputation, with accumulation, and with both. */
function changesOf(config: Config): Change[][] {
  const again: Change = { path: "recompute", to: "blocks" };
  // Two micro-batches take as much memory as more
  const parts: Change = { path: "accumulate", to: 2 };
  const trains = config.mode === "train" && config.optimizer !== null;
  const [recompute, accumulate] = [config.recompute === "none", config.accumulate === 1];
  return [
    [],
    ...trains && recompute ? [[again]] : [],
    ...trains && accumulate ? [[parts]] : [],
    ...trains && recompute && accumulate ? [[again, parts]] : [],
  ];
}

function applied(config: Config, changes: readonly Change[]): Config {
  return { ...config, ...Object.fromEntries(changes.map(({ path, to }) => [path, to])) } as Config;
}

/** Plans a batch. Errors of settings that no batch would cure are thrown. */
function planBatch(config: Config, batchSize: number, { traits, budget }: Search): Fit<CompiledVariant> {
  const changed = { ...config, loader: { ...config.loader, batchSize } };
  const checkMemory = ({ peak }: { peak: number }, least: boolean) => {
    if (least && peak > budget) throw new OverBudget(peak);
  };
  try {
    const compiled = compileVariant(changed, describeDataset(config.data), traits, { checkMemory });
    return { bytes: compiled.memory.peak, value: compiled };
  } catch (error) {
    if (error instanceof OverBudget) return { bytes: error.bytes, value: null as never };
    if (!isInstance(error, TachoError) || error.message.startsWith("recompute: ")) throw error;
    return { refused: error.message };
  }
}

function workOf({ plan }: CompiledVariant): number {
  return Object.values(plan.flops).reduce((sum, flops) => sum + flops, 0);
}

function optionOf(
  { batch, value, bound, refused }: LargestBatch<CompiledVariant>,
  changes: Change[],
  { samples, length, work, accumulate }: {
    readonly samples: number;
    readonly length: number;
    readonly work: number | null;
    readonly accumulate: number;
  },
): FitOption {
  const parts = changes.some(({ path }) => path === "accumulate");
  return {
    changes: changes.map((change) => ({ ...change })),
    batchSize: batch,
    accumulate,
    memory: value?.memory ?? null,
    work,
    bound,
    refused,
    wanted: batch === 0 || samples > length ? null : wantedOf(samples, batch, parts ? null : accumulate),
  };
}

/**
 * Returns the batch and the micro-batches of a step of `samples`, or null if batches of at most `largest` samples cannot
 * make it up.
 *
 * @param accumulate fixed number of micro-batches; null to use the smallest that divides the samples evenly
 */
function wantedOf(samples: number, largest: number, accumulate: number | null): FitOption["wanted"] {
  if (accumulate !== null) {
    return samples % accumulate === 0 && samples / accumulate <= largest
      ? { batchSize: samples / accumulate, accumulate }
      : null;
  }
  for (let parts = Math.max(2, Math.ceil(samples / largest)); parts <= samples; parts++) {
    if (samples % parts === 0) return { batchSize: samples / parts, accumulate: parts };
  }
  return null;
}
