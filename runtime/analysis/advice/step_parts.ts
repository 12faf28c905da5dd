import { phaseValues } from "../../record/phases.ts";
import { sleepOfBatch } from "../../data/sleep.ts";
import type { Pipeline } from "../../result/pipeline.ts";
import type { VariantResult } from "../../result/variant.ts";
import { ms } from "./evidence.ts";
import type { Settings } from "./settings.ts";

/** Where the time of a step goes: ms, means over the measured blocks. */
export interface StepParts {
  readonly step: number;
  /** The loop waited for a batch. */
  readonly reader: number;
  /** Copying the batch to the device. */
  readonly copy: number;
  /** The step with a batch that is always there. */
  readonly fed: number;
  /** The time in which batches come beside all else, so that no step gets shorter than it; 0 where they do not. */
  readonly supply: number;
}

/** Making a batch on one thread: ms. */
export interface Making {
  readonly total: number;
  /** The part in which the thread sleeps, as the scenario's delays tell it to; it takes no core. */
  readonly asleep: number;
  readonly longest: number;
}

/** Returns the parts of a variant's step; null where none was measured. */
export function partsOf(
  variant: VariantResult,
  settings: Settings,
  { device, making }: { readonly device: number | null; readonly making: Making | null },
): StepParts | null {
  const { batchCost, readerCost } = variant.metrics;
  if (batchCost === null || batchCost.value <= 0) return null;
  const step = batchCost.value;
  // Without workers it is the making itself, and what is more a moment in which the thread had no core
  const longest = making !== null && variant.pipeline?.numWorkers === 0 ? making.total : Infinity;
  const reader = Math.min(step, longest, readerCost?.value ?? 0);
  const copy = Math.min(step - reader, stageTime(variant.pipeline, "copy"));
  // In a sink the loop waits for batches while the device works, so that the step is not shorter by all of it
  const fed = settings.sink === 0 ? step - reader : Math.max(step - reader, Math.min(step, device ?? 0));
  const workers = variant.pipeline?.numWorkers ?? 0;
  const made = workers > 0 && making !== null ? making.total / workers : 0;
  const staged = settings.sink === 0 ? 0 : copy + (workers === 0 ? reader : 0);
  return { step, reader, copy, fed, supply: Math.min(step, Math.max(made, staged)) };
}

/** Times the speed of a step that does `saved` ms less, while its batches come no faster; and the words for the latter. */
export function shortened({ step, supply }: StepParts, saved: number): { gain: number; limit: string } {
  const limited = supply > step - saved;
  return {
    gain: step / Math.max(supply, step - saved),
    limit: limited ? `; a batch comes every ${ms(supply)}, and no step is shorter than that` : "",
  };
}

/** Device time of a step's phases; null where one that it has was not measured. */
export function deviceTime({ metrics }: Pick<VariantResult, "metrics">): number | null {
  const times = phaseValues(metrics).map(({ value }) => value);
  return times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0);
}

/** ms a batch over all stages of one kind; 0 where it has none that were timed. */
export function stageTime(pipeline: Pipeline | null, kind: "copy" | "handOver" | "transform") {
  const stages = pipeline?.stages.filter((stage) => stage.kind === kind) ?? [];
  return stages.reduce((sum, { perBatch }) => sum + (perBatch ?? 0), 0);
}

/** Returns the making of a batch; null where no thread timed one. */
export function makingOf({ pipeline }: VariantResult, { data, loader }: Settings): Making | null {
  const threads = pipeline?.threads.filter(({ batches }) => batches > 0) ?? [];
  const batches = threads.reduce((sum, thread) => sum + thread.batches, 0);
  if (batches === 0) return null;
  const total = threads.reduce((sum, { make, batches }) => sum + make.avg * batches, 0) / batches;
  const asleep = Math.min(total, sleepOfBatch(data, loader.batchSize));
  return { total, asleep, longest: Math.max(...threads.map(({ make }) => make.max)) };
}

/** What decides a step whose batches are made beside it. */
export interface Machine {
  readonly cores: number;
  readonly software: boolean;
  /** The main thread hands steps over; a loader alone leaves it idle. */
  readonly trains: boolean;
}

/**
 * The step with batches made by `workers` threads: the slowest of three that go on at once. The step itself, to which a
 * software adapter adds the work of the makers, as its kernels leave no core idle; the threads, each of which makes a
 * batch at a time; and the cores that make them.
 */
export function stepWithWorkers(
  fed: number,
  making: Pick<Making, "total" | "asleep">,
  workers: number,
  { cores, software, trains }: Machine,
): number {
  const busy = making.total - making.asleep;
  const training = fed + (software ? busy / cores : 0);
  const free = software || !trains ? cores : Math.max(1, cores - 1);
  return Math.max(training, making.total / workers, busy / free);
}
