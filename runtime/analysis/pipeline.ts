import type { LoaderProfile } from "../data/loader/meter.ts";
import type { WorkerChoice } from "../data/loader/loader.ts";
import type { Pipeline, PipelineBound, PipelineQueue, Spread } from "../result/pipeline.ts";
import { stagesOf, threadsOf } from "./pipeline_stages.ts";

/** Steps that a rate is averaged over, since single steps alternate between ready batches and waits. */
const WINDOW = 10;

/** Input pipeline during a measured step: times in ms, queues in batches. */
export interface PipelineStep {
  readonly batchCost: number;
  readonly readerCost: number;
  /** Time to copy the batch to the device. */
  readonly letData: number;
  readonly hostQueue: number;
  /** Finished batches by worker; omitted without workers. */
  readonly workerQueues?: readonly number[];
  /** Capacity of the device queue in batches; null if batches are not staged on the device. */
  readonly deviceQueue: number | null;
}

/** Measurements of the input pipeline. */
export interface MeasuredPipeline {
  readonly loader: LoaderProfile;
  readonly numWorkers: number;
  readonly choice: WorkerChoice | null;
  readonly sharedMemory: boolean;
  /** Capacity of the host queue in batches; null without workers. */
  readonly slots: number | null;
  /** Steps per submission; 0 submits each step separately. */
  readonly sink: number;
  /** False if the loader runs alone. */
  readonly trains: boolean;
  /** Samples of a batch on this rank. */
  readonly batchSize: number;
  /** Batches of a step: the micro-batches of gradient accumulation. */
  readonly batchesPerStep: number;
  /** Ranks that train together. */
  readonly ranks: number;
  /** Units of throughput in a sample. */
  readonly unitsPerSample: number;
  readonly steps: readonly PipelineStep[];
}

/** Analyses the input pipeline over the measured steps; null before the first. */
export function analyzePipeline(measured: MeasuredPipeline): Pipeline | null {
  const { loader, steps, slots, sink } = measured;
  if (steps.length === 0 || loader.batches === 0) return null;
  const device = steps.flatMap(({ deviceQueue }) => deviceQueue ?? []);
  const queues = {
    host: slots === null ? null : queueOf(steps.map(({ hostQueue }) => hostQueue), slots),
    device: device.length === 0 ? null : queueOf(device, sink),
  };
  const stages = stagesOf(loader, measured.trains ? steps.map(({ letData }) => letData) : [], measured);
  const batchCost = spread(steps.map(({ batchCost }) => batchCost));
  const readerCost = spread(steps.map(({ readerCost }) => readerCost));
  const samplesPerStep = measured.batchSize * measured.batchesPerStep * measured.ranks;
  return {
    numWorkers: measured.numWorkers,
    choice: measured.choice === null
      ? null
      : { chosen: measured.choice.chosen, measured: measured.choice.measured.map((one) => ({ ...one })) },
    sharedMemory: measured.sharedMemory,
    batches: loader.batches,
    samples: loader.samples,
    skipped: loader.skipped,
    skipReasons: [...loader.skipReasons],
    ...loader.warned === 0 ? {} : { warnings: { samples: loader.warned, first: loader.warnings[0]! } },
    ...loader.cache === undefined ? {} : { cache: { ...loader.cache } },
    stages,
    threads: threadsOf(loader, slots !== null, steps),
    queues,
    readerCost,
    batchCost,
    ips: rates(steps.map(({ batchCost }) => batchCost), samplesPerStep * measured.unitsPerSample),
    bound: boundOf({ queues, stages, readerCost, batchCost, trains: measured.trains }),
  };
}

function queueOf(depths: readonly number[], capacity: number): PipelineQueue {
  const part = (condition: (depth: number) => boolean) => depths.filter(condition).length / depths.length;
  return {
    capacity,
    depth: spread(depths),
    empty: part((depth) => depth === 0),
    full: part((depth) => depth >= capacity),
  };
}

/** Returns units per second over all steps, and over the slowest and the fastest window. */
function rates(costs: readonly number[], units: number): Spread {
  const rate = (part: readonly number[]) => units / Math.max(1e-6, spread(part).avg) * 1000;
  const size = Math.min(WINDOW, costs.length);
  const windows = Array.from(
    { length: Math.floor(costs.length / size) },
    (_, i) => costs.slice(i * size, (i + 1) * size),
  );
  const { min, max } = spread(windows.map(rate));
  return { avg: rate(costs), min: Math.min(min, rate(costs)), max: Math.max(max, rate(costs)) };
}

/** Returns the mean, minimum and maximum of at least one value. */
export function spread(values: readonly number[]): Spread {
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  return { avg: sum / values.length, min, max };
}

/** A queue that is empty for more than this fraction of steps starves its consumer. */
const OFTEN = 0.5;

/** Waiting below this fraction of a step is not worth a change. */
const WORTH = 0.05;

/**
 * Returns the bottleneck of the input pipeline, as MindInsight does: the part whose input queue is full while its output
 * queue is empty. The stages of a thread have no queues between them, so they form one link of the chain
 * `making -> host queue -> copy -> device queue -> steps`, and the slowest of them is named by its time.
 */
export function boundOf(
  { queues, stages, readerCost, batchCost, trains }:
    & Pick<Pipeline, "queues" | "stages" | "readerCost" | "batchCost">
    & { readonly trains: boolean },
): PipelineBound {
  const readerShare = batchCost.avg > 0 ? Math.min(1, readerCost.avg / batchCost.avg) : null;
  const stage = slowest(stages);
  if (!trains) return { where: "making", stage, readerShare, boundsTraining: null };
  const { host, device } = queues;
  // Without workers nothing is made while the device works, so making a batch always costs time
  const starved = host === null ? (readerShare ?? 0) > OFTEN : host.empty > OFTEN && (readerShare ?? 0) > WORTH;
  if (device === null) {
    return starved
      ? { where: "making", stage, readerShare, boundsTraining: true }
      : { where: "consumer", stage, readerShare, boundsTraining: false };
  }
  // Batches are staged on the device, so their cost on the host matters only if the device runs out of them
  if (device.empty <= OFTEN) return { where: "consumer", stage, readerShare, boundsTraining: false };
  const making = host === null || host.empty > OFTEN;
  return { where: making ? "making" : "copy", stage, readerShare, boundsTraining: true };
}

function slowest(stages: Pipeline["stages"]): string | null {
  const made = stages.filter(({ share }) => share !== null);
  if (made.length === 0) return null;
  return made.reduce((a, b) => b.share! > a.share! ? b : a).name;
}
