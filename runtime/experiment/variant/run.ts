import type { RanksOfBlock } from "../../analysis/ranks.ts";
import type { MeasuredAblations } from "../../analysis/bottleneck/measured_ablations.ts";
import { type CompiledVariant, evaluates } from "../../compile/variant.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { Config } from "../../scenario/config.ts";
import type { Device } from "../../device/device.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { ProfileRequest } from "../../record/schedule.ts";
import { Recorder } from "../../record/recorder.ts";
import type { Span } from "../../record/timeline.ts";
import type { Placement } from "../../engine/placement.ts";
import type { SlotPool } from "../../engine/slot_pool.ts";
import type { Block, Loss, Seeds, Target, Unit } from "../../result/schema.ts";
import { samplesPerStep } from "../../scenario/config.ts";
import type { ResolvedVariant } from "../../scenario/resolve.ts";
import { evaluate } from "../../trainer/evaluate.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import type {
  Arm,
  ArmAblation,
  ArmEvaluation,
  ArmKernels,
  ArmOpTiming,
  ArmProfiling,
  ArmRecord,
  OnProgress,
} from "../arm.ts";
import { rankConfig } from "../distributed/ranks.ts";
import type { TeamFacts } from "../distributed/team.ts";
import { runAblations } from "../ablations/ablations.ts";
import { type PreparedFacts, type PreparedVariant, prepareVariant, whileActive } from "./prepared.ts";
import { inferenceOutput } from "./inference_output.ts";
import { planner } from "./plan_step.ts";
import { VariantRecord } from "./record.ts";
import { traceSteps } from "../distributed/rank_trace.ts";
import { variantResult } from "./result.ts";
import { VariantTuning } from "./tuning.ts";
import { VariantProfiling } from "./variant_profiling.ts";
import { VariantSteps } from "./variant_steps.ts";

/** Device of a variant, and its shared memory. */
export interface VariantPlace {
  /** Device; null without a model, like the slots. */
  readonly device: Device | null;
  readonly slots: SlotPool | null;
  /** First step with tuned kernels; 0 or omitted to use them from the start. */
  readonly switchStep?: number;
  /** Keeps the times of kernels in the cache folder. Default true. */
  readonly cache?: boolean;
  /** Ranks that share the training of a distributed variant; null or missing on one. */
  readonly cluster?: Cluster | null;
  /** Facts about these ranks. */
  readonly team?: TeamFacts | null;
  interrupted(): boolean;
}

/** Trainings of a variant with several seeds. */
export type SeedRuns = Pick<Seeds, "steps" | "window" | "runs">;

/** Arm that runs a variant of a scenario. */
export class VariantRun implements Arm {
  readonly name: string;
  readonly kernels: ArmKernels = {
    reserve: () => this.reserve(),
    compile: (onShader) => this.compile(onShader),
    compileOnly: () => this.compileOnly(),
    setUpAnew: (placement) => this.#setUpAnew(placement),
  };
  readonly profiling: ArmProfiling = {
    always: false,
    setUp: (request, onOp) => this.setUpProfile(request, onOp),
    run: (onStep) => this.profile(onStep),
  };
  /** Outcome of training to a target; null without one. */
  target: Target | null = null;
  /** Trainings with several seeds; null without them. */
  seeds: SeedRuns | null = null;
  readonly #variant: ResolvedVariant;
  /** Settings of this rank. */
  readonly #config: Config;
  readonly #dataset: DatasetDescription;
  readonly #place: VariantPlace;
  readonly #device: Device | null;
  readonly #tuning: VariantTuning;
  #prepared: PreparedVariant | null = null;
  #steps: VariantSteps | null = null;
  #error: Error | null = null;
  #interrupted = false;
  readonly #recorder = new Recorder();
  protected readonly measurements: VariantRecord;
  readonly #profiler: VariantProfiling;
  #ablations: MeasuredAblations | null = null;
  #closed = false;

  /** @param compiled null without a model */
  constructor(
    variant: ResolvedVariant,
    dataset: DatasetDescription,
    compiled: CompiledVariant | null,
    place: VariantPlace,
  ) {
    this.name = variant.name;
    this.#variant = variant;
    this.#dataset = dataset;
    this.#place = place;
    const ranks = place.cluster?.size ?? 1;
    this.#config = rankConfig(variant.config, ranks);
    this.#device = place.device;
    const { device, switchStep = 0, cache: keep = true } = place;
    this.#tuning = new VariantTuning({
      variant: { ...variant, config: this.#config },
      dataset,
      defaults: compiled,
      device,
      switchStep,
      keep,
    }, {
      replan: (plan) => this.#prepared!.session!.replan(plan),
    });
    this.measurements = new VariantRecord(variant.config, dataset, ranks);
    this.#profiler = new VariantProfiling({
      name: variant.name,
      device,
      recorder: this.#recorder,
      monitor: variant.config.monitor,
      interrupted: () => place.interrupted(),
      onInterrupt: () => void (this.#interrupted = true),
    });
  }

  outputs: readonly unknown[] = [];

  get stateful(): boolean {
    return this.compiled !== null;
  }

  /** Tuning of kernels; null without a model. */
  get tuning(): VariantTuning | null {
    return this.compiled === null ? null : this.#tuning;
  }

  get evaluation(): ArmEvaluation | null {
    const { evaluate } = this.#variant.config;
    return evaluate === null ? null : { every: evaluate.every, run: (onBatch) => this.evaluate(onBatch) };
  }

  get opTiming(): ArmOpTiming {
    return { error: this.#profiler.opError, time: () => this.#profiler.timeOps(this.#prepared!) };
  }

  get ablation(): ArmAblation | null {
    if (this.#variant.config.model === null) return null;
    return { run: (seed, onRound) => this.ablate(seed, onRound) };
  }

  get running(): boolean {
    return this.#error === null && !this.#interrupted;
  }

  get interrupted(): boolean {
    return this.#interrupted;
  }

  get unitOfRate(): Unit {
    return `${this.#dataset.unit}/s`;
  }

  get failure(): Error | null {
    return this.#error;
  }

  get unit(): number {
    return Math.max(1, this.compiled?.sink ?? 0);
  }

  fail(error: unknown): void {
    this.#error = error instanceof Error ? error : new Error(String(error));
  }

  /** Plan of the measured steps, with default kernels until others are chosen; null without a model. */
  get compiled(): CompiledVariant | null {
    return this.#tuning.measured;
  }

  /** Plan of the next step; null without a model. */
  get current(): CompiledVariant | null {
    return this.#tuning.of(this.measurements.steps);
  }

  get steps(): number {
    return this.measurements.steps;
  }

  get blocks(): readonly Block[] {
    return this.measurements.blocks;
  }

  get losses(): readonly (Loss | null)[] {
    return this.measurements.losses;
  }

  /** Reserves the slots of the next step's plan and of its evaluation. */
  reserve(): void {
    const { current } = this;
    if (current === null) return;
    const slots = this.#place.slots!;
    slots.reserve(current.plan.slots);
    if (evaluates(this.#variant.config)) slots.reserve(current.evaluation().slots);
  }

  /** Starts the loader at the batch of `firstStep`. With a model, also allocates buffers and creates pipelines. */
  async prepare(firstStep: number, onKernel?: OnProgress, onFill?: OnProgress): Promise<void> {
    const start = performance.now();
    const { device, slots } = this.#place;
    const compiled = this.current;
    this.#prepared = await prepareVariant({
      name: this.name,
      config: this.#config,
      cluster: this.#variant.config.distribute === null ? null : this.#place.cluster ?? null,
      dataset: this.#dataset,
      recorder: this.#recorder,
      firstBatch: firstStep,
      onKernel,
      onFill,
      shouldStop: () => this.#place.interrupted(),
    }, compiled === null ? null : { compiled, device: device!, slots: slots! });
    this.#steps = new VariantSteps({
      prepared: this.#prepared,
      device,
      recorder: this.#recorder,
      record: this.measurements,
      batchSize: samplesPerStep(this.#variant.config),
      unit: this.unit,
      onInterrupt: () => void (this.#interrupted = true),
    });
    this.measurements.setup = performance.now() - start;
  }

  warmUp(steps: number, onStep?: (done: number) => void): Promise<{ readonly wall: number }> {
    return this.#steps!.warmUp(steps, onStep);
  }

  /** Facts about the prepared variant; null before. */
  get facts(): PreparedFacts | null {
    if (this.#prepared === null) return null;
    const { loader: { numWorkers, choice, slots }, feed: { amortised } } = this.#prepared;
    return { loader: { numWorkers, choice, slots }, amortised };
  }

  /** Adds the records of the ranks of the last block. */
  protected addRanks(block: RanksOfBlock): void {
    this.measurements.addRanks(block);
  }

  skip(losses: readonly (Loss | null)[]): void {
    this.measurements.steps += losses.length;
    this.measurements.losses.push(...losses);
  }

  restoreBlock(kept: Omit<KeptBlock, "arm">): void {
    this.measurements.restoreBlock(kept);
  }

  async compile(onShader: OnProgress): Promise<void> {
    await this.#steps?.compile(onShader, () => this.#place.interrupted());
  }

  async compileOnly(): Promise<void> {
    await this.#steps?.compileOnly();
  }

  endWarmUp(): void {
    this.#prepared!.loader.resetProfile();
  }

  /**
   * Requests profiled steps, and times the first run of each op separately. Must be called before anything else runs, and
   * again after a change of plan. Without a model, the profile only contains the host's work.
   */
  setUpProfile(request: ProfileRequest, onOp: OnProgress): Promise<void> {
    return this.#profiler.setUp(this.#prepared, request, onOp);
  }

  /** Runs the profiled steps and restores the training state. */
  profile(onStep: OnProgress): Promise<void> {
    return this.#profiler.run(this.#prepared!, this.measurements.blocks.at(-1)?.steps.length, onStep);
  }

  /** Runs steps together with the other ranks and returns this rank's spans; null if the variant has ended. */
  async traceRank(): Promise<Span[] | null> {
    if (!this.running || this.#prepared?.session == null) return null;
    const prepared = this.#prepared;
    let spans: Span[] = [];
    await whileActive(prepared, async () => {
      spans = await traceSteps(prepared, this.#device!, this.#recorder);
    });
    return spans;
  }

  block(...block: Parameters<VariantSteps["block"]>): Promise<Omit<KeptBlock, "arm"> | null> {
    return this.#steps!.block(...block);
  }

  async #setUpAnew(placement: Placement): Promise<void> {
    const { session, feed, loader } = this.#prepared!;
    if (session === null) return;
    loader.relocate();
    feed.relocate(placement);
    await session.setUpAnew(placement);
    this.#device!.check();
  }

  /** Measures loss and accuracy on the test split. */
  async evaluate(onBatch: OnProgress): Promise<void> {
    const session = this.#prepared?.session ?? null;
    if (session === null) return;
    const outcome = await evaluate(session, this.#device!, this.#config, this.#dataset, {
      shouldStop: () => this.#place.interrupted(),
      onBatch,
    });
    if (outcome.interrupted) {
      this.#interrupted = true;
      return;
    }
    this.measurements.addEvaluation(outcome);
  }

  /** Computes what is compared with the baseline, of a variant that trains nothing. */
  async readOutputs(): Promise<void> {
    const session = this.#prepared?.session ?? null;
    if (session === null || this.#config.optimizer !== null) return;
    this.outputs = [await inferenceOutput(session, this.#device!, this.#config.seed)];
  }

  /** Measures ablations of the step and restores the training state. Must follow all other measurements. */
  async ablate(seed: number, onRound: OnProgress): Promise<void> {
    const { session, context, loader, feed, timestamps } = this.#prepared!;
    const { stepMs } = this.measurements;
    if (session === null || context === null || stepMs === null) return;
    this.#ablations = await runAblations({
      session,
      context,
      device: this.#device!,
      loader,
      feed,
      timestamps,
      unit: this.unit,
      stepMs,
      seed,
      shouldStop: () => this.#place.interrupted(),
      onRound,
    });
    if (this.#place.interrupted()) this.#interrupted = true;
  }

  interrupt(): void {
    if (this.#error === null) this.#interrupted = true;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#tuning.close();
    await this.#prepared?.loader.close();
    this.#prepared?.feed.free();
    this.#prepared?.session?.free();
  }

  record(clock: ClockFit | null): ArmRecord {
    const record = this.measurements;
    const { device } = this.#place;
    const profiled = this.#profiler.result(clock, record.host);
    const variant = variantResult({
      name: this.name,
      axes: this.#variant.axes,
      config: this.#variant.config,
      compiled: this.compiled,
      tuning: this.#tuning.outcome,
      loader: this.facts?.loader ?? null,
      error: this.#error,
      interrupted: this.#interrupted,
      record,
      amortised: this.facts?.amortised ?? false,
      profiled,
      seeds: this.seeds,
      target: this.target,
      ranks: this.#place.team == null ? null : record.ranks(this.#place.team),
    }, clock);
    return {
      variant,
      timeline: profiled?.timeline ?? null,
      ablations: this.#ablations,
      data: { samples: this.#dataset.train.length, sample: this.#dataset.sample },
      ...device !== null && this.compiled !== null && {
        plan: planner(this.#variant.config, this.#dataset, device.traits, this.compiled),
      },
    };
  }
}
