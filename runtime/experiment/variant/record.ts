import { COUNTED_OPERATIONS, countsPerStep } from "../../analysis/exact_counts.ts";
import { summarize } from "../../analysis/metrics.ts";
import { ranksOf, type RanksOfBlock } from "../../analysis/ranks.ts";
import { phaseSeries, stepPhases } from "../../analysis/step_statistics.ts";
import { stepTimes, traceSteps } from "../../record/step_trace.ts";
import { analyzePipeline, type PipelineStep } from "../../analysis/pipeline.ts";
import { planCounts } from "../../compile/plan_counts.ts";
import type { CompiledVariant } from "../../compile/variant.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { Loader } from "../../data/loader/loader.ts";
import type { LoaderProfile } from "../../data/loader/meter.ts";
import type { Device } from "../../device/device.ts";
import type { FedBlock } from "../../trainer/feed/feed.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import { addDefects, type CleanPasses, cleanPasses, NO_DEFECTS, type RawPass } from "../../record/device_samples.ts";
import { addSums, type SpanSums } from "../../record/recorder.ts";
import type { Timing } from "../../record/timing.ts";
import { toLoss } from "../../result/loss.ts";
import { ofPhase, phasesOf, toByPhase } from "../../record/phases.ts";
import type { Timestamps } from "../../result/profile.ts";
import type { Block, Evaluation, ExactCounts, Loss, LossScale, Metrics, VariantResult } from "../../result/schema.ts";
import { batchesPerStep, type Config, samplesPerStep } from "../../scenario/config.ts";
import type { EvaluationOutcome } from "../../trainer/evaluate.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import type { Ranks } from "../../result/ranks.ts";
import type { BlockPlace } from "../arm.ts";
import type { PreparedFacts } from "./prepared.ts";
import type { TeamFacts } from "../distributed/team.ts";
import type { MeasuredHost } from "./compose_profile.ts";

/** Device operations counted over the measured blocks. */
const COUNTED = [...COUNTED_OPERATIONS, "splits"] as const;

/** Operations that earlier versions did not count; NaN where a resumed run has blocks of such a version. */
const LATER: readonly string[] = ["copies", "copyBytes", "newBuffers", "splits"];

type Counts = Record<typeof COUNTED[number], number>;

/** Returns the device operations between two readings of the counters. */
export function countsBetween(before: Device["counts"], after: Device["counts"]): Counts {
  return Object.fromEntries(COUNTED.map((key) => [key, after[key] - before[key]])) as Counts;
}

/** Measurements of a variant as plain data, and the parts of its result derived from them. */
export class VariantRecord {
  /** Time of preparing the variant, in ms. */
  setup: number | null = null;
  /** Time of its first step, in ms. */
  firstStep: number | null = null;
  /** Number of steps so far, including warm-up. */
  steps = 0;
  readonly blocks: Block[] = [];
  readonly losses: (Loss | null)[] = [];
  readonly evaluations: Evaluation[] = [];
  /** Profile of the loader over the measured blocks; null before the first. */
  loaderProfile: LoaderProfile | null = null;
  /** Indices of steps whose update was skipped because of an overflow. */
  readonly #skipped = new Set<number>();
  readonly #scales: LossScale["changes"] = [];
  readonly #config: Config;
  readonly #dataset: DatasetDescription;
  readonly #runtimeWaits: number[] = [];
  readonly #fed: PipelineStep[] = [];
  readonly #ofRanks: number;
  readonly #ranks: RanksOfBlock[] = [];
  readonly #counts = Object.fromEntries(COUNTED.map((key) => [key, 0])) as Counts;
  readonly #work = new Map<string, SpanSums>();
  #timestamps: Timestamps = { passes: 0, usable: 0, defects: NO_DEFECTS };
  #lastTimestamp = 0n;

  /** @param ranks ranks that train the variant together */
  constructor(config: Config, dataset: DatasetDescription, ranks = 1) {
    this.#config = config;
    this.#dataset = dataset;
    this.#ofRanks = config.distribute === null ? 1 : ranks;
  }

  /** Adds steps of a feed, including warm-up. */
  addSteps(fed: FedBlock): void {
    fed.steps.forEach((_, i) => {
      const outcome = fed.outcomes[i];
      this.losses.push(outcome === undefined ? null : toLoss(outcome.loss));
      if (outcome === undefined) return;
      const scale = toLoss(outcome.lossScale);
      if (scale !== this.#scales.at(-1)?.scale) this.#scales.push({ step: this.steps + i, scale });
      if (outcome.skipped) this.#skipped.add(this.steps + i);
    });
    this.steps += fed.steps.length;
  }

  /** Number of updates that were skipped because of an overflow, in all steps and in the measured ones. */
  get skippedUpdates(): { readonly all: number; readonly measured: number } {
    const measured = this.blocks.flatMap(({ steps }) => steps).filter(({ index }) => this.#skipped.has(index)).length;
    return { all: this.#skipped.size, measured };
  }

  /** Course of the loss scale; meaningless without loss scaling. */
  get lossScale(): LossScale {
    return { changes: this.#scales, skipped: [...this.#skipped] };
  }

  /** Removes defective timestamps of the passes since the last call. */
  clean(raw: readonly RawPass[]): CleanPasses {
    const cleaned = cleanPasses(raw, this.#lastTimestamp);
    this.#lastTimestamp = cleaned.last;
    return cleaned;
  }

  /**
   * Adds a measured block, whose steps {@linkcode VariantRecord.addSteps} has added. Returns null if it has no steps.
   *
   * @param cleaned passes of the block's steps
   * @param counts device operations of the block
   * @param work times of the host's work
   */
  addBlock(
    place: BlockPlace,
    fed: FedBlock,
    { passes, defects }: Pick<CleanPasses, "passes" | "defects">,
    phases: readonly string[],
    loader: Loader,
    counts: Partial<Counts>,
    work: ReadonlyMap<string, SpanSums>,
  ): Omit<KeptBlock, "arm"> | null {
    if (fed.steps.length === 0) return null;
    const first = this.steps - fed.steps.length;
    const traced = phases.length === 0 ? [] : traceSteps(passes, phases);
    const events = this.#config.timing !== "event" || phases.length === 0 ? null : stepTimes(passes, phases.length);
    this.loaderProfile = loader.profile();
    const block: Block = {
      ...place,
      samples: fed.steps.length * samplesPerStep(this.#config) * this.#dataset.unitsPerSample,
      wall: fed.wall,
      steps: fed.steps.map((step, i) => ({
        index: first + i,
        batchCost: step.batchCost,
        readerCost: step.readerCost,
        stepTime: events === null ? step.timed : events[i] ?? null,
        ...step.allReduce == null ? {} : { allReduce: step.allReduce },
        ...traced[i] ?? { iterationGap: null, ...toByPhase<number>(phases.map((phase) => [phase, null])) },
        loss: fed.outcomes[i] === undefined ? null : toLoss(fed.outcomes[i].loss),
      })),
    };
    const workerQueues = fed.steps.map((step) => [...step.workerQueues ?? []]);
    const host: KeptBlock["host"] = {
      runtimeWait: fed.runtimeWait,
      counts,
      letData: fed.steps.map(({ letData }) => letData),
      hostQueue: fed.steps.map(({ hostQueue }) => hostQueue),
      deviceQueue: fed.steps.map(({ deviceQueue }) => deviceQueue),
      ...workerQueues.some((queues) => queues.length > 0) ? { workerQueues } : {},
      work: Object.fromEntries(work),
      ...fed.buckets === undefined ? {} : { ranks: { ranks: [], buckets: [...fed.buckets] } },
      ...passes.length === 0
        ? {}
        : { timestamps: { passes: passes.length, usable: passes.filter((pass) => pass !== null).length, defects } },
    };
    this.restoreBlock({ block, host });
    return { block, host };
  }

  /** Adds a block of this or an earlier sitting. */
  restoreBlock({ block, host }: Omit<KeptBlock, "arm">): void {
    this.blocks.push(block);
    this.#runtimeWaits.push(host.runtimeWait);
    if (host.ranks !== undefined && host.ranks.ranks.length > 0) this.#ranks.push(host.ranks);
    for (const key of COUNTED) this.#counts[key] += host.counts[key] ?? (LATER.includes(key) ? NaN : 0);
    if (host.timestamps !== undefined) this.#timestamps = addTimestamps(this.#timestamps, host.timestamps);
    for (const [name, sums] of Object.entries(host.work ?? {})) {
      const known = this.#work.get(name);
      this.#work.set(name, known === undefined ? sums : addSums(known, sums));
    }
    this.#fed.push(...block.steps.map(({ batchCost, readerCost }, i) => ({
      batchCost: batchCost ?? 0,
      readerCost: readerCost ?? 0,
      letData: host.letData[i] ?? 0,
      hostQueue: host.hostQueue[i] ?? 0,
      deviceQueue: host.deviceQueue[i] ?? null,
      ...host.workerQueues === undefined ? {} : { workerQueues: host.workerQueues[i] ?? [] },
    })));
  }

  /** Sets the losses and the times of the start to those of other processes. */
  restoreStart(losses: readonly (Loss | null)[], times: Pick<VariantRecord, "setup" | "firstStep">): void {
    this.losses.splice(0, Infinity, ...losses);
    this.steps = losses.length;
    Object.assign(this, times);
  }

  /** Sets the course of the loss scale to that of another process. */
  restoreLossScale({ changes, skipped }: LossScale): void {
    if (changes.length > this.#scales.length) this.#scales.splice(0, Infinity, ...changes);
    for (const step of skipped) this.#skipped.add(step);
  }

  /** Adds the records of the ranks of the last block. */
  addRanks(block: RanksOfBlock): void {
    this.#ranks.push(block);
  }

  /** Returns the records of the ranks over the measured blocks; null on one rank. */
  ranks({ places, network }: TeamFacts): Ranks | null {
    return ranksOf(this.#ranks, places, network);
  }

  /** Mean step time over the measured blocks, in ms; null before the first. */
  get stepMs(): number | null {
    const steps = this.blocks.reduce((sum, block) => sum + block.steps.length, 0);
    return steps === 0 ? null : this.blocks.reduce((sum, { wall }) => sum + wall, 0) / steps;
  }

  addEvaluation({ samples, loss, accuracy, skipped }: EvaluationOutcome): void {
    const step = this.steps;
    this.evaluations.push({
      split: "test",
      step,
      samples,
      loss: loss === null ? null : toLoss(loss),
      accuracy,
      skipped,
    });
  }

  /** Host's work over the measured blocks. */
  get host(): MeasuredHost {
    const { uploads, uploadBytes, readbacks, readbackBytes } = this.#counts;
    const metrics = this.metrics(this.blocks, { amortised: false, profilingCost: null });
    const phases = stepPhases(this.blocks).map(({ name }) =>
      [name, phaseSeries(this.blocks, name).spread?.median] as const
    );
    return {
      host: [...this.#work].map(([name, { calls, total, min, max }]) => ({
        name,
        calls,
        total,
        mean: total / calls,
        min,
        max,
      })),
      transfers: {
        hostToDevice: { count: uploads, bytes: uploadBytes },
        deviceToHost: { count: readbacks, bytes: readbackBytes },
      },
      defects: this.#timestamps.defects,
      phases: new Map(phases.flatMap(([name, ms]) => ms === undefined ? [] : [[name, ms]])),
      batchCost: metrics.batchCost?.value ?? null,
    };
  }

  /** Returns the blocks with device times corrected by `clock`. */
  scaledBlocks(clock: ClockFit | null): Block[] {
    if (clock === null || clock.scale === 1) return this.blocks;
    return this.blocks.map((block) => rescale(block, clock.scale, this.#config.timing));
  }

  metrics(blocks: readonly Block[], rest: { amortised: boolean; profilingCost: number | null }): Metrics {
    return summarize({
      blocks,
      runtimeWaits: this.#runtimeWaits,
      unit: `${this.#dataset.unit}/s`,
      setup: this.setup,
      firstStep: this.firstStep,
      accuracy: this.evaluations.at(-1)?.accuracy ?? null,
      timing: this.#config.timing,
      ...rest,
    });
  }

  /** Returns the counts of timestamps over the measured blocks; null without timestamps. */
  timestamps(clock: ClockFit | null): VariantResult["timestamps"] {
    return this.#timestamps.passes === 0 ? null : { ...this.#timestamps, clockResets: clock?.resets ?? 0 };
  }

  /** Returns submits, waits and readbacks over the measured blocks; null before the first, and without a model. */
  counts(compiled: CompiledVariant | null): VariantResult["counts"] {
    if (this.blocks.length === 0 || compiled === null) return null;
    const { submits, waits, readbacks } = this.#counts;
    return { submits, waits, readbacks };
  }

  /** Returns the exact counts of a step; undefined without a model. Blocks of an interrupted training are not counted. */
  exact(compiled: CompiledVariant | null, interrupted: boolean): ExactCounts | undefined {
    if (compiled === null) return undefined;
    const steps = interrupted ? 0 : this.blocks.reduce((sum, block) => sum + block.steps.length, 0);
    const peakBytes = compiled.memory.peak;
    return { ...planCounts(compiled.plan), peakBytes, ...countsPerStep(this.#counts, steps) };
  }

  queues(loader: PreparedFacts["loader"] | null): VariantResult["queues"] {
    const device = this.#fed.flatMap(({ deviceQueue }) => deviceQueue ?? []);
    return {
      ...loader?.slots == null || this.#fed.length === 0 ? {} : { host: this.#fed.map(({ hostQueue }) => hostQueue) },
      ...device.length === 0 ? {} : { device },
    };
  }

  pipeline(loader: PreparedFacts["loader"] | null, compiled: CompiledVariant | null): VariantResult["pipeline"] {
    if (this.loaderProfile === null || loader === null) return null;
    return analyzePipeline({
      loader: this.loaderProfile,
      numWorkers: loader.numWorkers,
      choice: loader.choice,
      sharedMemory: this.#config.loader.sharedMemory,
      slots: loader.slots,
      sink: compiled?.sink ?? 0,
      trains: compiled !== null,
      batchSize: this.#config.loader.batchSize / this.#ofRanks,
      ranks: this.#ofRanks,
      batchesPerStep: batchesPerStep(this.#config),
      unitsPerSample: this.#dataset.unitsPerSample,
      steps: this.#fed,
    });
  }
}

function addTimestamps(a: Timestamps, b: Timestamps): Timestamps {
  return { passes: a.passes + b.passes, usable: a.usable + b.usable, defects: addDefects(a.defects, b.defects) };
}

/** Scales a block's device times, for devices whose ticks are not nanoseconds. */
export function rescale(block: Block, scale: number, timing: Timing | null): Block {
  const times = (value: number | null) => value === null ? null : value * scale;
  return {
    ...block,
    steps: block.steps.map((step) => ({
      ...step,
      stepTime: timing === "event" ? times(step.stepTime) : step.stepTime,
      iterationGap: times(step.iterationGap),
      ...toByPhase(phasesOf([step]).map(({ name }) => [name, times(ofPhase(step, name))])),
    })),
  };
}
