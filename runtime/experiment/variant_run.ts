import { summarize } from "../analysis/metrics.ts";
import { analyzePipeline, type PipelineStep } from "../analysis/pipeline.ts";
import { stepTimes, traceSteps } from "../analysis/step_trace.ts";
import type { CompiledVariant } from "../compile/variant.ts";
import { TachoError } from "../core/errors.ts";
import type { DatasetDescription } from "../data/describe.ts";
import { createLoader } from "../data/loader/create_loader.ts";
import type { Loader } from "../data/loader/loader.ts";
import type { LoaderProfile } from "../data/loader/meter.ts";
import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import type { ClockFit } from "../record/clock_fit.ts";
import { addDefects, cleanPasses, type DefectCounts, NO_DEFECTS, type PassTimes } from "../record/device_samples.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Timing } from "../record/timing.ts";
import type { Timeline } from "../record/timeline.ts";
import { Recorder } from "../record/recorder.ts";
import type { TuningOutcome } from "../engine/autotune.ts";
import type { StepOutcome } from "../engine/model_state.ts";
import type { SlotPool } from "../engine/slot_pool.ts";
import type { FedBlock, Feed } from "../feed/context.ts";
import { LoaderFeed } from "../feed/loader_feed.ts";
import { toLoss } from "../result/loss.ts";
import type { Block, Evaluation, Loss, VariantResult } from "../result/schema.ts";
import type { ResolvedVariant } from "../scenario/resolve.ts";
import { describeConfig } from "../scenario/describe.ts";
import { evaluate } from "../trainer/evaluate.ts";
import { loaderLayout } from "../trainer/loader_layout.ts";
import { type MeasuredHost, VariantProfile } from "./variant_profile.ts";
import { Session } from "../trainer/session.ts";
import { tuneVariant } from "../trainer/tuning.ts";

/** What is counted over the measured blocks. */
const COUNTED = ["submits", "waits", "readbacks", "readbackBytes", "uploads", "uploadBytes"] as const;

export interface RunHooks {
  interrupted(): boolean;
}

/** One variant of a running experiment: what it needs on the device, and what was measured of it so far. */
export class VariantRun {
  readonly name: string;
  readonly #variant: ResolvedVariant;
  readonly #dataset: DatasetDescription;
  #compiled: CompiledVariant | null;
  #tuning: TuningOutcome | null = null;
  readonly #hooks: RunHooks;
  #device: Device | null = null;
  #session: Session | null = null;
  #loader: Loader | null = null;
  #feed: Feed | null = null;
  #timestamps: TimestampRecorder | null = null;
  #steps = 0;
  #setup: number | null = null;
  #firstStep: number | null = null;
  #error: TachoError | Error | null = null;
  #interrupted = false;
  readonly #recorder = new Recorder();
  readonly #blocks: Block[] = [];
  readonly #runtimeWaits: number[] = [];
  readonly #losses: (Loss | null)[] = [];
  readonly #fed: PipelineStep[] = [];
  #loaded: LoaderProfile | null = null;
  readonly #evaluations: Evaluation[] = [];
  #skippedUpdates = 0;
  readonly #counts = { submits: 0, waits: 0, readbacks: 0, readbackBytes: 0, uploads: 0, uploadBytes: 0 };
  #defects: DefectCounts = NO_DEFECTS;
  #lastTimestamp = 0n;
  #profile: VariantProfile | null = null;
  #measuredHost: MeasuredHost | null = null;
  #timeline: Timeline | null = null;

  constructor(
    variant: ResolvedVariant,
    dataset: DatasetDescription,
    compiled: CompiledVariant | null,
    hooks: RunHooks,
  ) {
    this.name = variant.name;
    this.#variant = variant;
    this.#dataset = dataset;
    this.#compiled = compiled;
    this.#hooks = hooks;
  }

  /** Whether it can go on. */
  get running(): boolean {
    return this.#error === null && !this.#interrupted;
  }

  get failure(): Error | null {
    return this.#error;
  }

  /** Steps that are handed over together; blocks are whole multiples. */
  get unit(): number {
    return Math.max(1, this.#compiled?.sink ?? 0);
  }

  /** The variant cannot go on; what was measured stays. */
  fail(error: unknown): void {
    this.#error = error instanceof Error ? error : new Error(String(error));
  }

  /** The plan in use; null without a model. */
  get compiled(): CompiledVariant | null {
    return this.#compiled;
  }

  /** Times kernels where the variant asks for it, and plans with the best: before anything is made on the device. */
  async tune(device: Device, onProgress: (done: number, all: number) => void): Promise<void> {
    const { config } = this.#variant;
    const { autotune } = config.compile;
    if (this.#compiled === null || autotune === null) return;
    const shouldStop = () => this.#hooks.interrupted();
    const tuned = await tuneVariant(config, this.#dataset, device, autotune, { shouldStop, onProgress });
    if (tuned === null) return this.interrupt();
    this.#compiled = tuned.compiled;
    this.#tuning = tuned.outcome;
  }

  /** Starts the loader; where there is a model, allocates and makes pipelines. */
  async prepare(device: Device | null, slots: SlotPool | null): Promise<void> {
    const start = performance.now();
    const { config } = this.#variant;
    this.#device = device;
    this.#loader = await createLoader(config.data, {
      ...config.loader,
      seed: config.seed,
      split: "train",
      layout: loaderLayout(this.#dataset),
      shouldStop: () => this.#hooks.interrupted(),
    });
    if (this.#compiled === null) {
      this.#feed = new LoaderFeed(this.#loader, this.#recorder, () => this.#hooks.interrupted());
    } else {
      this.#session = await Session.create(device!, slots!, this.#compiled, { seed: config.seed, label: this.name });
      const made = this.#session.feed(this.#loader, {
        monitor: config.monitor,
        timing: config.timing,
        timestamps: true,
        recorder: this.#recorder,
        shouldStop: () => this.#hooks.interrupted(),
      });
      if (config.evaluate !== null) {
        await this.#session.inference();
        this.#session.evaluationOutputs();
      }
      this.#feed = made.feed;
      this.#timestamps = made.timestamps;
      await device!.settle();
    }
    this.#loader.pause();
    this.#setup = performance.now() - start;
  }

  /**
   * Runs the first steps, which do not count. The very first compiles the shaders; where no step is to be skipped, it is
   * run and undone.
   */
  async warmUp(steps: number, onStep: (step: number) => void): Promise<void> {
    const session = this.#session;
    if (session !== null && steps === 0) {
      const start = performance.now();
      const before = session.state.snapshot();
      session.runOnce();
      session.state.restore(before);
      await this.#device!.settle();
      this.#firstStep = performance.now() - start;
      return;
    }
    await this.#active(async () => {
      for (let done = 0; done < steps && this.running; done += this.unit) {
        const start = performance.now();
        this.#note(await this.#feed!.run(this.unit));
        if (done === 0 && this.unit === 1) this.#firstStep = performance.now() - start;
        onStep(done + this.unit);
      }
      await this.#readPasses();
      await this.#device?.settle();
      this.#recorder.reset();
    });
    this.#loader!.resetProfile();
  }

  /**
   * Asks for profiled steps, and times the first run of each op by itself: to be called before anything else runs.
   * Nothing to do without a model.
   */
  async setUpProfile(request: ProfileRequest): Promise<void> {
    if (this.#session === null) return;
    this.#profile = new VariantProfile(this.name, this.#session, this.#device!, request);
    await this.#profile.setUp();
  }

  /** Runs the profiled steps, on a snapshot of the training state. */
  async profile(onStep: (done: number, all: number) => void): Promise<void> {
    const profile = this.#profile;
    if (profile === null) return;
    this.#measuredHost = this.#measured();
    await this.#active(async () => {
      const interrupted = await profile.run(this.#loader!, this.#recorder, {
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

  /** Measures a block of `steps` steps, a whole number of units. */
  async block(round: number, position: number, steps: number, onStep: (done: number) => void): Promise<void> {
    await this.#active(async () => {
      const device = this.#device;
      const before = device === null ? null : { ...device.counts };
      const first = this.#steps;
      const fed = await this.#feed!.run(steps, onStep);
      if (device !== null && before !== null) {
        for (const key of COUNTED) this.#counts[key] += device.counts[key] - before[key];
      }
      this.#note(fed);
      const passes = await this.#readPasses();
      await device?.settle();
      const traced = this.#session === null ? [] : traceSteps(passes, this.#session.executor.phases);
      const events = this.#variant.config.timing !== "event" || this.#session === null
        ? null
        : stepTimes(passes, this.#session.executor.phases.length);
      if (fed.steps.length === 0) return;
      this.#runtimeWaits.push(fed.runtimeWait);
      this.#fed.push(...fed.steps);
      this.#loaded = this.#loader!.profile();
      this.#blocks.push({
        round,
        position,
        samples: fed.steps.length * this.#variant.config.loader.batchSize,
        wall: fed.wall,
        steps: fed.steps.map((step, i) => ({
          index: first + i,
          batchCost: step.batchCost,
          readerCost: step.readerCost,
          stepTime: events === null ? step.timed : events[i] ?? null,
          ...traced[i] ?? { iterationGap: null, forward: null, backward: null, update: null },
          loss: fed.outcomes[i] === undefined ? null : toLoss(fed.outcomes[i].loss),
        })),
      });
    });
  }

  /** Loss and accuracy on the test split. */
  async evaluate(onBatch: (done: number, all: number) => void): Promise<void> {
    if (this.#session === null) return;
    const outcome = await evaluate(this.#session, this.#device!, this.#variant.config, this.#dataset, {
      shouldStop: () => this.#hooks.interrupted(),
      onBatch,
    });
    if (outcome.interrupted) {
      this.#interrupted = true;
      return;
    }
    this.#evaluations.push({
      split: "test",
      step: this.#steps,
      samples: outcome.samples,
      loss: outcome.loss === null ? null : toLoss(outcome.loss),
      accuracy: outcome.accuracy,
    });
  }

  /** It did not get to its end. */
  interrupt(): void {
    if (this.#error === null) this.#interrupted = true;
  }

  /** Ends the workers and frees what is on the device. */
  async close(): Promise<void> {
    await this.#loader?.close();
    this.#feed?.free();
    this.#session?.free();
  }

  /**
   * What was measured. Loss and speed-up relative to other variants are the conductor's.
   *
   * @param clock how the device's clock runs on the host's axis; null where it was not calibrated
   */
  result(clock: ClockFit | null): VariantResult {
    const profiled = this.#profile?.result(clock, this.#measuredHost ?? this.#measured()) ?? null;
    this.#timeline = profiled?.timeline ?? null;
    const blocks = clock === null || clock.scale === 1
      ? this.#blocks
      : this.#blocks.map((block) => rescale(block, clock.scale, this.#variant.config.timing));
    const { config } = this.#variant;
    const compiled = this.#compiled;
    const error = this.#error;
    return {
      name: this.name,
      config: describeConfig(config) as VariantResult["config"],
      status: error !== null ? "failed" : this.#interrupted ? "interrupted" : "ok",
      error: error === null
        ? null
        : { message: error.message, exitStatus: error instanceof TachoError ? error.exitStatus : 1 },
      planFingerprint: compiled?.plan.fingerprint ?? null,
      parameters: compiled?.parameterCount ?? null,
      metrics: summarize({
        blocks,
        runtimeWaits: this.#runtimeWaits,
        amortised: this.#feed?.amortised ?? false,
        unit: `${this.#dataset.unit}/s`,
        setup: this.#setup,
        firstStep: this.#firstStep,
        accuracy: this.#evaluations.at(-1)?.accuracy ?? null,
        timing: config.timing,
        profilingCost: profiled?.profile.cost.phases ?? null,
      }),
      bound: null,
      finalLoss: null,
      overflows: compiled?.plan.gradientTable == null ? null : this.#skippedUpdates,
      counts: this.#blocks.length === 0 || compiled === null ? null : pickCounts(this.#counts),
      blocks,
      autotune: this.#tuning,
      ops: profiled?.ops ?? [],
      profile: profiled?.profile ?? null,
      queues: this.#queues(),
      pipeline: this.#loaded === null ? null : analyzePipeline({
        loader: this.#loaded,
        numWorkers: this.#loader!.numWorkers,
        choice: this.#loader!.choice,
        sharedMemory: config.loader.sharedMemory,
        slots: this.#loader!.slots,
        sink: compiled?.sink ?? 0,
        trains: compiled !== null,
        batchSize: config.loader.batchSize,
        steps: this.#fed,
      }),
      losses: this.#losses,
      evaluations: this.#evaluations,
      verdict: null,
      memory: compiled?.memory ?? null,
      findings: [],
    };
  }

  async #active(work: () => Promise<void>): Promise<void> {
    this.#loader!.resume();
    try {
      await work();
    } finally {
      this.#loader!.pause();
    }
  }

  #queues(): VariantResult["queues"] {
    const device = this.#fed.flatMap(({ deviceQueue }) => deviceQueue ?? []);
    return {
      ...this.#loader?.slots == null || this.#fed.length === 0
        ? {}
        : { host: this.#fed.map(({ hostQueue }) => hostQueue) },
      ...device.length === 0 ? {} : { device },
    };
  }

  /** Phase times of what ran since the last call. */
  async #readPasses(): Promise<readonly (PassTimes | null)[]> {
    const { passes, defects, last } = cleanPasses(await this.#timestamps?.read() ?? [], this.#lastTimestamp);
    this.#lastTimestamp = last;
    this.#defects = addDefects(this.#defects, defects);
    return passes;
  }

  #measured(): MeasuredHost {
    const { uploads, uploadBytes, readbacks, readbackBytes } = this.#counts;
    return {
      host: [...this.#recorder.sums()].map(([name, { calls, total, min, max }]) => ({
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
      defects: this.#defects,
    };
  }

  #note(fed: FedBlock): void {
    this.#steps += fed.steps.length;
    fed.steps.forEach((_, i) => {
      const outcome: StepOutcome | undefined = fed.outcomes[i];
      this.#losses.push(outcome === undefined ? null : toLoss(outcome.loss));
      if (outcome?.skipped) this.#skippedUpdates++;
    });
    if (fed.interrupted) this.#interrupted = true;
  }
}

function pickCounts({ submits, waits, readbacks }: { submits: number; waits: number; readbacks: number }) {
  return { submits, waits, readbacks };
}

/** A block's device times in true milliseconds, where the device's ticks are not nanoseconds. */
function rescale(block: Block, scale: number, timing: Timing | null): Block {
  const times = (value: number | null) => value === null ? null : value * scale;
  return {
    ...block,
    steps: block.steps.map((step) => ({
      ...step,
      stepTime: timing === "event" ? times(step.stepTime) : step.stepTime,
      iterationGap: times(step.iterationGap),
      forward: times(step.forward),
      backward: times(step.backward),
      update: times(step.update),
    })),
  };
}
