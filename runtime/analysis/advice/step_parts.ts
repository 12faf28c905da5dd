import { phaseValues } from "../../record/phases.ts";
import { sleepOfBatch } from "../../data/sleep.ts";
import type { Pipeline } from "../../result/pipeline.ts";
import type { VariantResult } from "../../result/variant.ts";
import { ms } from "./evidence.ts";
import type { Settings } from "./settings.ts";

/** Parts of a step: means over the measured blocks in ms. */
export interface StepParts {
  readonly step: number;
  /** Time that the loop waited for a batch. */
  readonly reader: number;
  /** Time to copy the batches of the step to the device. */
  readonly copy: number;
  /** Time of the step if a batch is always ready. */
  readonly fed: number;
  /** Time between batches made concurrently with the step: a lower bound of the step. 0 if none are. */
  readonly supply: number;
}

/** Time to make the batches of a step on one thread: ms. */
export interface Making {
  readonly total: number;
  /** Time that the thread sleeps due to the scenario's delays, without taking a core. */
  readonly asleep: number;
  readonly longest: number;
}

/** Returns the parts of a variant's step; null if no step was measured. */
export function partsOf(
  variant: VariantResult,
  settings: Settings,
  { device, making }: { readonly device: number | null; readonly making: Making | null },
): StepParts | null {
  const { batchCost, readerCost } = variant.metrics;
  if (batchCost === null || batchCost.value <= 0) return null;
  const step = batchCost.value;
  // Without workers the wait is the making itself; the excess is time without a core
  const longest = making !== null && variant.pipeline?.numWorkers === 0 ? making.total : Infinity;
  const reader = Math.min(step, longest, readerCost?.value ?? 0);
  const copy = Math.min(step - reader, stageTime(variant.pipeline, "copy"));
  // In a sink the loop waits while the device works, so the step cannot lose all of the wait
  const fed = settings.sink === 0
    ? Math.min(step - reader, synthetic(variant, step) + copy)
    : Math.max(step - reader, Math.min(step, device ?? 0));
  const workers = variant.pipeline?.numWorkers ?? 0;
  const made = workers > 0 && making !== null ? making.total / workers : 0;
  const staged = settings.sink === 0 ? 0 : copy + (workers === 0 ? reader : 0);
  return { step, reader, copy, fed, supply: Math.min(step, Math.max(made, staged)) };
}

/**
 * Returns the step with synthetic input, at the end of its interval that is closest to the whole step; infinite without its
 * ablation. Steps after a wait can take longer than others: caches are cold, and threads wake up.
 */
function synthetic({ bottleneck }: VariantResult, step: number): number {
  const arm = bottleneck?.arms.find(({ name }) => name === "synthetic input");
  return arm === undefined ? Infinity : step / (arm.ratio.low ?? arm.ratio.value);
}

/** Returns the gain of a step that does `saved` ms less work, and a note if the supply of batches limits it. */
export function shortened({ step, supply }: StepParts, saved: number): { gain: number; limit: string } {
  const limited = supply > step - saved;
  return {
    gain: step / Math.max(supply, step - saved),
    limit: limited ? `; a batch arrives every ${ms(supply)}, which no step can undercut` : "",
  };
}

/** Returns the device time of a step's phases in ms; null if none were measured. */
export function deviceTime({ metrics }: Pick<VariantResult, "metrics">): number | null {
  const times = phaseValues(metrics).map(({ value }) => value);
  return times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0);
}

/** Returns the time of a batch over all timed stages of a kind, in ms. */
export function stageTime(pipeline: Pipeline | null, kind: "copy" | "handOver" | "transform") {
  const stages = pipeline?.stages.filter((stage) => stage.kind === kind) ?? [];
  return stages.reduce((sum, { perBatch }) => sum + (perBatch ?? 0), 0);
}

/**
 * Returns the time to make the batches of a step; null if no thread timed one.
 *
 * @param samples samples of a step
 */
export function makingOf({ pipeline }: VariantResult, { data }: Settings, samples: number): Making | null {
  const threads = pipeline?.threads.filter(({ batches }) => batches > 0) ?? [];
  const batches = threads.reduce((sum, thread) => sum + thread.batches, 0);
  if (batches === 0) return null;
  const total = threads.reduce((sum, { make, batches }) => sum + make.avg * batches, 0) / batches;
  const asleep = Math.min(total, sleepOfBatch(data, samples));
  return { total, asleep, longest: Math.max(...threads.map(({ make }) => make.max)) };
}

/** Facts that decide the time of a step whose batches are made concurrently. */
export interface Machine {
  readonly cores: number;
  readonly software: boolean;
  /** True if the main thread submits steps; with the loader alone it is idle. */
  readonly trains: boolean;
}

/**
 * Predicts the step with batches made by `workers` threads, as the longest of three concurrent times: the step itself, plus
 * the work of the workers on a software adapter, whose kernels use all cores; the threads, each making one batch at a time;
 * and the cores that run them.
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
