import type { CompiledVariant } from "../compile/variant.ts";
import { TachoError } from "../core/errors.ts";
import type { DatasetDescription } from "../data/describe.ts";
import { createLoader } from "../data/loader/create_loader.ts";
import type { Loader } from "../data/loader/loader.ts";
import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
import type { ClockFit } from "../record/clock_fit.ts";
import type { PassTimes } from "../record/device_samples.ts";
import type { ProfileRequest } from "../record/schedule.ts";
import type { Timeline } from "../record/timeline.ts";
import { Recorder } from "../record/recorder.ts";
import type { TuningOutcome } from "../engine/autotune.ts";
import type { SlotPool } from "../engine/slot_pool.ts";
import type { FedBlock, Feed } from "../feed/context.ts";
import { LoaderFeed } from "../feed/loader_feed.ts";
import type { VariantResult } from "../result/schema.ts";
import type { ResolvedVariant } from "../scenario/resolve.ts";
import { describeConfig } from "../scenario/describe.ts";
import { evaluate } from "../trainer/evaluate.ts";
import { loaderLayout } from "../trainer/loader_layout.ts";
import { hostProfile, type MeasuredHost, VariantProfile } from "./variant_profile.ts";
import { VariantRecord } from "./variant_record.ts";
import { Session } from "../trainer/session.ts";
import { tuneVariant } from "../trainer/tuning.ts";

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
  #error: TachoError | Error | null = null;
  #interrupted = false;
  readonly #recorder = new Recorder();
  readonly #record: VariantRecord;
  #profiled = false;
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
    this.#record = new VariantRecord(variant.config, dataset);
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
    this.#record.setup = performance.now() - start;
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
      this.#record.firstStep = performance.now() - start;
      return;
    }
    await this.#active(async () => {
      for (let done = 0; done < steps && this.running; done += this.unit) {
        const start = performance.now();
        this.#note(await this.#feed!.run(this.unit));
        if (done === 0 && this.unit === 1) this.#record.firstStep = performance.now() - start;
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
   * Without a model there are no ops, and the profile shows the host's side alone.
   */
  async setUpProfile(request: ProfileRequest): Promise<void> {
    this.#profiled = true;
    if (this.#session === null) return;
    this.#profile = new VariantProfile(this.name, this.#session, this.#device!, request);
    await this.#profile.setUp();
  }

  /** Runs the profiled steps, on a snapshot of the training state. */
  async profile(onStep: (done: number, all: number) => void): Promise<void> {
    const profile = this.#profile;
    if (profile === null) return;
    this.#measuredHost = this.#record.host(this.#recorder);
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
      const fed = await this.#feed!.run(steps, onStep);
      if (device !== null && before !== null) this.#record.count(before, device.counts);
      this.#note(fed);
      const passes = await this.#readPasses();
      await device?.settle();
      const phases = this.#session?.executor.phases ?? [];
      this.#record.addBlock({ round, position }, fed, passes, phases, this.#loader!);
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
    this.#record.addEvaluation(outcome);
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
    const record = this.#record;
    const profiled = this.#profile?.result(clock, this.#measuredHost ?? record.host(this.#recorder)) ?? null;
    this.#timeline = profiled?.timeline ?? null;
    const blocks = record.scaledBlocks(clock);
    const compiled = this.#compiled;
    const error = this.#error;
    return {
      name: this.name,
      config: describeConfig(this.#variant.config) as VariantResult["config"],
      status: error !== null ? "failed" : this.#interrupted ? "interrupted" : "ok",
      error: error === null
        ? null
        : { message: error.message, exitStatus: error instanceof TachoError ? error.exitStatus : 1 },
      planFingerprint: compiled?.plan.fingerprint ?? null,
      parameters: compiled?.parameterCount ?? null,
      metrics: record.metrics(blocks, {
        amortised: this.#feed?.amortised ?? false,
        profilingCost: profiled?.profile.cost.phases ?? null,
      }),
      bound: null,
      finalLoss: null,
      overflows: compiled?.plan.gradientTable == null ? null : record.skippedUpdates,
      counts: record.counts(compiled),
      blocks,
      autotune: this.#tuning,
      ops: profiled?.ops ?? [],
      profile: profiled?.profile ?? (this.#profiled ? hostProfile(record.host(this.#recorder)) : null),
      queues: record.queues(this.#loader),
      pipeline: record.pipeline(this.#loader, compiled),
      losses: record.losses,
      evaluations: record.evaluations,
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

  /** Phase times of what ran since the last call. */
  async #readPasses(): Promise<readonly (PassTimes | null)[]> {
    return this.#record.clean(await this.#timestamps?.read() ?? []);
  }

  #note(fed: FedBlock): void {
    this.#record.addSteps(fed);
    if (fed.interrupted) this.#interrupted = true;
  }
}
