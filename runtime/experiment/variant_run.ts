import { summarize } from "../analysis/metrics.ts";
import { traceSteps } from "../analysis/step_trace.ts";
import type { CompiledVariant } from "../compile/variant.ts";
import { TachoError } from "../core/errors.ts";
import type { DatasetDescription } from "../data/describe.ts";
import { createLoader } from "../data/loader/create_loader.ts";
import type { Loader } from "../data/loader/loader.ts";
import type { Device } from "../device/device.ts";
import type { TimestampRecorder } from "../device/timestamps.ts";
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
import { Session } from "../trainer/session.ts";

export interface RunHooks {
  interrupted(): boolean;
}

/** One variant of a running experiment: what it needs on the device, and what was measured of it so far. */
export class VariantRun {
  readonly name: string;
  readonly #variant: ResolvedVariant;
  readonly #dataset: DatasetDescription;
  readonly #compiled: CompiledVariant | null;
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
  readonly #blocks: Block[] = [];
  readonly #runtimeWaits: number[] = [];
  readonly #losses: (Loss | null)[] = [];
  readonly #hostQueue: number[] = [];
  readonly #evaluations: Evaluation[] = [];
  #skippedUpdates = 0;
  readonly #counts = { submits: 0, waits: 0, readbacks: 0 };

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
      this.#feed = new LoaderFeed(this.#loader, () => this.#hooks.interrupted());
    } else {
      this.#session = await Session.create(device!, slots!, this.#compiled, { seed: config.seed, label: this.name });
      const made = this.#session.feed(this.#loader, {
        monitor: config.monitor,
        timestamps: true,
        shouldStop: () => this.#hooks.interrupted(),
      });
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
      await this.#timestamps?.read();
      await this.#device?.settle();
    });
  }

  /** Measures a block of `steps` steps, a whole number of units. */
  async block(round: number, position: number, steps: number, onStep: (done: number) => void): Promise<void> {
    await this.#active(async () => {
      const device = this.#device;
      const before = device === null ? null : { ...device.counts };
      const first = this.#steps;
      const fed = await this.#feed!.run(steps, onStep);
      if (device !== null && before !== null) {
        for (const key of ["submits", "waits", "readbacks"] as const) {
          this.#counts[key] += device.counts[key] - before[key];
        }
      }
      this.#note(fed);
      const passes = await this.#timestamps?.read() ?? [];
      await device?.settle();
      const traced = this.#session === null ? [] : traceSteps(passes, this.#session.executor.phases);
      if (fed.steps.length === 0) return;
      this.#runtimeWaits.push(fed.runtimeWait);
      this.#hostQueue.push(...fed.steps.map((step) => step.hostQueue));
      this.#blocks.push({
        round,
        position,
        samples: fed.steps.length * this.#variant.config.loader.batchSize,
        wall: fed.wall,
        steps: fed.steps.map((step, i) => ({
          index: first + i,
          batchCost: step.batchCost,
          readerCost: step.readerCost,
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

  /** What was measured. Loss and speed-up relative to other variants are the conductor's. */
  result(): VariantResult {
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
        blocks: this.#blocks,
        runtimeWaits: this.#runtimeWaits,
        amortised: this.#feed?.amortised ?? false,
        unit: `${this.#dataset.unit}/s`,
        setup: this.#setup,
        firstStep: this.#firstStep,
        accuracy: this.#evaluations.at(-1)?.accuracy ?? null,
      }),
      bound: null,
      finalLoss: null,
      overflows: compiled?.plan.gradientTable == null ? null : this.#skippedUpdates,
      counts: this.#blocks.length === 0 || compiled === null ? null : { ...this.#counts },
      blocks: this.#blocks,
      ops: [],
      profile: null,
      queues: this.#hostQueue.length > 0 && config.loader.numWorkers > 0 ? { host: this.#hostQueue } : {},
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
