import type { MeasuredAblations } from "../../analysis/bottleneck/measured_ablations.ts";
import { type CompiledVariant, evaluates } from "../../compile/variant.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { SampleType } from "../../data/transforms/transform.ts";
import type { Device } from "../../device/device.ts";
import type { ClockFit } from "../../record/clock_fit.ts";
import type { PassTimes } from "../../record/device_samples.ts";
import type { ProfileRequest } from "../../record/schedule.ts";
import type { Timeline } from "../../record/timeline.ts";
import { Recorder } from "../../record/recorder.ts";
import type { SlotPool } from "../../engine/slot_pool.ts";
import type { FedBlock } from "../../feed/context.ts";
import type { Block, Loss, Target, Unit, VariantResult } from "../../result/schema.ts";
import type { ResolvedVariant } from "../../scenario/resolve.ts";
import { evaluate } from "../../trainer/evaluate.ts";
import type { KeptBlock } from "../../store/keeper.ts";
import { runAblations } from "../ablations/ablations.ts";
import { LoaderProfile } from "./loader_profile.ts";
import { type PreparedVariant, prepareVariant } from "./prepared.ts";
import { VariantProfile } from "./profile.ts";
import { drainSteps } from "../rounds/drain.ts";
import { countsBetween, VariantRecord } from "./record.ts";
import { variantResult } from "./result.ts";
import { VariantTuning } from "./tuning.ts";

export interface RunHooks {
  interrupted(): boolean;
}

/** One variant of a running experiment: what it needs on the device, and what was measured of it so far. */
export class VariantRun {
  readonly name: string;
  /** Null where no training to a target was begun. */
  target: Target | null = null;
  readonly tuning: VariantTuning;
  readonly #variant: ResolvedVariant;
  readonly #dataset: DatasetDescription;
  readonly #hooks: RunHooks;
  #device: Device | null = null;
  #prepared: PreparedVariant | null = null;
  #error: Error | null = null;
  #interrupted = false;
  readonly #recorder = new Recorder();
  readonly #record: VariantRecord;
  #profile: VariantProfile | LoaderProfile | null = null;
  #timeline: Timeline | null = null;
  #takenApart: MeasuredAblations | null = null;
  #closed = false;

  /** @param switchStep the step before which kernels that were chosen by timing them take over */
  constructor(
    variant: ResolvedVariant,
    dataset: DatasetDescription,
    compiled: CompiledVariant | null,
    hooks: RunHooks,
    switchStep = 0,
  ) {
    this.name = variant.name;
    this.#variant = variant;
    this.#dataset = dataset;
    this.#hooks = hooks;
    this.tuning = new VariantTuning(variant, dataset, compiled, switchStep);
    this.#record = new VariantRecord(variant.config, dataset);
  }

  /** The number of training samples, and what one is before the transforms. */
  get data(): { readonly samples: number; readonly sample: SampleType } {
    return { samples: this.#dataset.train.length, sample: this.#dataset.sample };
  }

  /** Whether it can go on. */
  get running(): boolean {
    return this.#error === null && !this.#interrupted;
  }

  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Of the rate at which it takes samples. */
  get unitOfRate(): Unit {
    return `${this.#dataset.unit}/s`;
  }

  get failure(): Error | null {
    return this.#error;
  }

  /** Steps that are handed over together; blocks are whole multiples. */
  get unit(): number {
    return Math.max(1, this.compiled?.sink ?? 0);
  }

  /** The variant cannot go on; what was measured stays. */
  fail(error: unknown): void {
    this.#error = error instanceof Error ? error : new Error(String(error));
  }

  /** The plan of the measured steps, as far as it is known; null without a model. */
  get compiled(): CompiledVariant | null {
    return this.tuning.measured;
  }

  /** The plan of the next step; null without a model. */
  get current(): CompiledVariant | null {
    return this.tuning.of(this.#record.steps);
  }

  /** Steps so far, those that do not count included. */
  get steps(): number {
    return this.#record.steps;
  }

  /** Measured blocks so far. */
  get blocks(): readonly Block[] {
    return this.#record.blocks;
  }

  /** Losses of all steps so far. */
  get losses(): readonly (Loss | null)[] {
    return this.#record.losses;
  }

  /** Reserves what the plan of the next step, and its plan for inference, keep in slots; nothing without a model. */
  reserve(slots: SlotPool | null): void {
    const { current } = this;
    if (current === null) return;
    slots!.reserve(current.plan.slots);
    if (evaluates(this.#variant.config)) slots!.reserve(current.inference().slots);
  }

  /** Goes on with the plan of the next step, over the same state; the slots must be reserved. */
  async switchPlan(): Promise<void> {
    await this.#prepared!.session!.replan(this.current!);
    await this.#device!.settle();
  }

  /**
   * Starts the loader; where there is a model, allocates and makes pipelines.
   *
   * @param firstBatch what the loader begins with
   */
  async prepare(device: Device | null, slots: SlotPool | null, firstBatch = 0): Promise<void> {
    const start = performance.now();
    this.#device = device;
    const compiled = this.current;
    this.#prepared = await prepareVariant({
      name: this.name,
      config: this.#variant.config,
      dataset: this.#dataset,
      recorder: this.#recorder,
      firstBatch,
      shouldStop: () => this.#hooks.interrupted(),
    }, compiled === null ? null : { compiled, device: device!, slots: slots! });
    this.#record.setup = performance.now() - start;
  }

  /** Runs steps that do not count. */
  async replay(steps: number, onStep?: (done: number) => void): Promise<FedBlock> {
    const first = this.#record.steps === 0;
    const start = performance.now();
    const fed = await this.#run(steps, onStep);
    if (first && steps === 1) this.#record.firstStep = performance.now() - start;
    await this.#readPasses();
    await this.#device?.settle();
    return fed;
  }

  /** Counts steps that were run in an earlier sitting and need not be run again, as nothing is trained. */
  skip(losses: readonly (Loss | null)[]): void {
    this.#record.steps += losses.length;
    this.#record.losses.push(...losses);
  }

  /** Takes a block of an earlier sitting, whose steps were run again. */
  restoreBlock(kept: KeptBlock): void {
    this.#record.restoreBlock(kept);
  }

  /** Compiles the shaders by a first step that is undone. */
  async compileOnly(): Promise<void> {
    const session = this.#prepared?.session ?? null;
    if (session === null) return;
    const start = performance.now();
    const before = session.state.snapshot();
    session.runOnce();
    session.state.restore(before);
    await this.#device!.settle();
    this.#record.firstStep = performance.now() - start;
  }

  /** What was timed so far does not count. */
  forgetTimes(): void {
    this.#prepared!.loader.resetProfile();
  }

  /**
   * Asks for profiled steps, and times the first run of each op by itself: to be called before anything else runs, and
   * again where another plan takes over. Without a model there are no ops, and the profile shows the host's side alone.
   */
  async setUpProfile(request: ProfileRequest): Promise<void> {
    const session = this.#prepared?.session ?? null;
    this.#profile ??= session === null
      ? new LoaderProfile(this.name, request)
      : new VariantProfile(this.name, session, this.#device!, request);
    if (this.#profile instanceof VariantProfile) await this.#profile.setUp();
  }

  /** Runs the profiled steps, on a snapshot of the training state. */
  async profile(onStep: (done: number, all: number) => void): Promise<void> {
    const profile = this.#profile;
    if (profile === null) return;
    await this.#active(async () => {
      const interrupted = await profile.run(this.#prepared!.loader, this.#recorder, {
        shouldStop: () => this.#hooks.interrupted(),
        onStep: (done) => onStep(done, profile.steps),
      });
      if (interrupted) this.#interrupted = true;
    });
  }

  /** The recorded steps on one axis; null where none were asked for. */
  get timeline(): Timeline | null {
    return this.#timeline;
  }

  /**
   * Measures a block of `steps` steps, a whole number of units. Null where it has none.
   *
   * @param options `drain`: first run the steps that have batches which came for nothing
   */
  async block(
    place: { round: number; position: number },
    steps: number,
    options: { drain: boolean; onStep: (done: number) => void },
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    if (options.drain) await this.#drain(steps);
    this.#recorder.takeSums(); // of steps that do not count
    const device = this.#device;
    const before = device === null ? null : { ...device.counts };
    const fed = await this.#run(steps, options.onStep);
    const counts = before === null ? {} : countsBetween(before, device!.counts);
    const work = this.#recorder.takeSums();
    const passes = await this.#readPasses();
    await device?.settle();
    const phases = this.#prepared!.session?.executor.phases ?? [];
    return this.#record.addBlock(place, fed, passes, phases, this.#prepared!.loader, counts, work);
  }

  /** Loss and accuracy on the test split. */
  async evaluate(onBatch: (done: number, all: number) => void): Promise<void> {
    const session = this.#prepared?.session ?? null;
    if (session === null) return;
    const outcome = await evaluate(session, this.#device!, this.#variant.config, this.#dataset, {
      shouldStop: () => this.#hooks.interrupted(),
      onBatch,
    });
    if (outcome.interrupted) {
      this.#interrupted = true;
      return;
    }
    this.#record.addEvaluation(outcome);
  }

  /** Runs the step with parts of it taken away, on a snapshot of the training state: after all that is measured. */
  async takeApart(seed: number, onRound: (done: number, all: number) => void): Promise<void> {
    const { session, context, loader, feed, timestamps } = this.#prepared!;
    const { stepMs } = this.#record;
    if (session === null || context === null || stepMs === null) return;
    this.#takenApart = await runAblations({
      session,
      context,
      device: this.#device!,
      loader,
      feed,
      timestamps,
      unit: this.unit,
      stepMs,
      seed,
      shouldStop: () => this.#hooks.interrupted(),
      onRound,
    });
    if (this.#hooks.interrupted()) this.#interrupted = true;
  }

  /** What {@linkcode VariantRun.takeApart} measured; null where it was not asked for. */
  get takenApart(): MeasuredAblations | null {
    return this.#takenApart;
  }

  /** It did not get to its end. */
  interrupt(): void {
    if (this.#error === null) this.#interrupted = true;
  }

  /** Ends the workers and frees what is on the device; what was measured stays. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.tuning.close();
    await this.#prepared?.loader.close();
    this.#prepared?.feed.free();
    this.#prepared?.session?.free();
  }

  /**
   * What was measured. Loss and speed-up relative to other variants are the conductor's.
   *
   * @param clock how the device's clock runs on the host's axis; null where it was not calibrated
   */
  result(clock: ClockFit | null): VariantResult {
    const record = this.#record;
    const profiled = this.#profile?.result(clock, record.host) ?? null;
    this.#timeline = profiled?.timeline ?? null;
    return variantResult({
      name: this.name,
      config: this.#variant.config,
      compiled: this.compiled,
      tuning: this.tuning.outcome,
      loader: this.#prepared?.loader ?? null,
      error: this.#error,
      interrupted: this.#interrupted,
      record,
      amortised: this.#prepared?.feed.amortised ?? false,
      profiled,
      target: this.target,
    }, clock);
  }

  async #active(work: () => Promise<void>): Promise<void> {
    this.#prepared!.loader.resume();
    try {
      await work();
    } finally {
      this.#prepared!.loader.pause();
    }
  }

  /** Phase times of what ran since the last call. */
  async #readPasses(): Promise<readonly (PassTimes | null)[]> {
    return this.#record.clean(await this.#prepared!.timestamps?.read() ?? []);
  }

  async #drain(steps: number): Promise<void> {
    const { batchSize } = this.#variant.config.loader;
    const drained = drainSteps({ steps, batchSize, numWorkers: this.#prepared!.loader.numWorkers, unit: this.unit });
    if (drained > 0) await this.replay(drained);
  }

  /** Runs steps; the loader stands still before and from the end of the last on, while losses are read. */
  async #run(steps: number, onStep?: (done: number) => void): Promise<FedBlock> {
    const loader = this.#prepared!.loader;
    loader.resume();
    try {
      const fed = await this.#prepared!.feed.run(steps, {
        onStep: (done) => {
          if (done >= steps) loader.pause();
          onStep?.(done);
        },
      });
      this.#record.addSteps(fed);
      if (fed.interrupted) this.#interrupted = true;
      return fed;
    } finally {
      loader.pause();
    }
  }
}
