import { type CompiledVariant, evaluates } from "../../compile/variant.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { DatasetDescription } from "../../data/describe.ts";
import type { Device } from "../../device/device.ts";
import type { Placement } from "../../engine/placement.ts";
import type { SlotPool } from "../../engine/slot_pool.ts";
import type { CleanPasses } from "../../record/device_samples.ts";
import { Recorder } from "../../record/recorder.ts";
import type { Span } from "../../record/timeline.ts";
import type { Loss } from "../../result/schema.ts";
import { type Config, samplesPerStep } from "../../scenario/config.ts";
import type { ResolvedVariant } from "../../scenario/resolve.ts";
import type { KeptBlock } from "../../store/run_recorder.ts";
import { compileShaders } from "../../trainer/compile_shaders.ts";
import type { FedBlock } from "../../trainer/feed/feed.ts";
import type { BlockPlace, OnProgress } from "../arm.ts";
import { rankConfig } from "../distributed/ranks.ts";
import { traceSteps } from "../distributed/rank_trace.ts";
import type { TeamFacts } from "../distributed/team.ts";
import type { Planned } from "../planning.ts";
import { drainSteps } from "../rounds/drain.ts";
import { type Prepared, type PreparedFacts, prepareVariant, whileActive } from "./prepared.ts";
import { countsBetween, VariantRecord } from "./record.ts";
import { VariantTuning } from "./tuning.ts";

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

/** Runs the steps of a variant in this process and records them. */
export class LocalSteps {
  readonly variant: ResolvedVariant;
  readonly dataset: DatasetDescription;
  readonly place: VariantPlace;
  /** Settings of this rank. */
  readonly config: Config;
  readonly tuning: VariantTuning;
  readonly recorder = new Recorder();
  readonly record: VariantRecord;
  /** True once an interruption of the run ended its work early. */
  interrupted = false;
  #prepared: Prepared | null = null;
  /** Time of compiling shaders before the first step, in ms. */
  #compilation = 0;
  #closed = false;

  constructor({ variant, dataset, compiled }: Pick<Planned, "variant" | "dataset" | "compiled">, place: VariantPlace) {
    const { device, switchStep = 0, cache: keep = true, cluster } = place;
    const ranks = cluster?.size ?? 1;
    this.variant = variant;
    this.dataset = dataset;
    this.place = place;
    this.config = rankConfig(variant.config, ranks);
    const tuned = { ...variant, config: this.config };
    this.tuning = new VariantTuning({ variant: tuned, dataset, defaults: compiled, device, switchStep, keep }, {
      replan: (plan) => this.#prepared!.session!.replan(plan),
    });
    this.record = new VariantRecord(variant.config, dataset, ranks);
  }

  /** Plan of the measured steps, with default kernels until others are chosen; null without a model. */
  get compiled(): CompiledVariant | null {
    return this.tuning.measured;
  }

  /** Steps per submission. */
  get unit(): number {
    return Math.max(1, this.compiled?.sink ?? 0);
  }

  get steps(): number {
    return this.record.steps;
  }

  get losses(): readonly (Loss | null)[] {
    return this.record.losses;
  }

  /** Loader, feed and session; null before they are prepared. */
  get prepared(): Prepared | null {
    return this.#prepared;
  }

  /** Facts about the prepared variant; null before. */
  get facts(): PreparedFacts | null {
    if (this.#prepared === null) return null;
    const { loader: { numWorkers, choice, slots }, feed: { amortised } } = this.#prepared;
    return { loader: { numWorkers, choice, slots }, amortised };
  }

  /** Reserves the slots of the next step's plan and of its evaluation. */
  reserve(): void {
    const plan = this.tuning.of(this.steps);
    if (plan === null) return;
    const slots = this.place.slots!;
    slots.reserve(plan.plan.slots);
    if (evaluates(this.variant.config)) slots.reserve(plan.evaluation().slots);
  }

  /** Starts the loader at the batch of `firstStep`. With a model, also allocates buffers and creates pipelines. */
  async prepare(firstStep: number, onKernel?: OnProgress, onFill?: OnProgress): Promise<void> {
    const start = performance.now();
    const { device, slots, cluster = null, interrupted } = this.place;
    const { name, config: { distribute } } = this.variant;
    const compiled = this.tuning.of(this.steps);
    this.#prepared = await prepareVariant({
      ...{ name, config: this.config, dataset: this.dataset, recorder: this.recorder, onKernel, onFill },
      cluster: distribute === null ? null : cluster,
      firstBatch: firstStep,
      shouldStop: interrupted,
    }, compiled === null ? null : { compiled, device: device!, slots: slots! });
    this.record.setup = performance.now() - start;
  }

  /** Compiles the shaders one by one, which the time of the first step includes. */
  async compile(onShader: OnProgress): Promise<void> {
    const session = this.#prepared?.session ?? null;
    if (session === null) return;
    const { device, interrupted: shouldStop } = this.place;
    const start = performance.now();
    const compiled = await compileShaders(session, device!, { onShader, shouldStop });
    if (compiled > 0) this.#compilation += performance.now() - start;
  }

  /** Compiles the shaders by a step that is undone. */
  async compileOnly(): Promise<void> {
    const session = this.#prepared?.session ?? null;
    if (session === null) return;
    const start = performance.now();
    const before = session.state.snapshot();
    session.runOnce();
    session.state.restore(before);
    await this.place.device!.settle();
    this.record.firstStep = this.#compilation + performance.now() - start;
  }

  /** Runs steps without measuring a block. */
  async warmUp(steps: number, onStep?: (done: number) => void): Promise<FedBlock> {
    const first = this.steps === 0;
    const start = performance.now();
    const fed = await this.#run(steps, onStep);
    if (first && steps === 1) this.record.firstStep = this.#compilation + performance.now() - start;
    await this.#readPasses();
    await this.place.device?.settle();
    return fed;
  }

  endWarmUp(): void {
    this.#prepared!.loader.resetProfile();
  }

  /** Measures a block; with `drain`, first uses up the batches loaded while other arms ran. */
  async block(
    place: BlockPlace,
    steps: number,
    options: { drain: boolean; onStep: (done: number) => void },
  ): Promise<Omit<KeptBlock, "arm"> | null> {
    const { record, recorder, place: { device } } = this;
    const { loader, session } = this.#prepared!;
    if (options.drain) await this.#drain(steps, loader.numWorkers);
    recorder.takeSums(); // discards those of unmeasured steps
    const before = device === null ? null : { ...device.counts };
    const fed = await this.#run(steps, options.onStep);
    const counts = before === null ? {} : countsBetween(before, device!.counts);
    const work = recorder.takeSums();
    const passes = await this.#readPasses();
    await device?.settle();
    return record.addBlock(place, fed, passes, session?.executor.phases ?? [], loader, counts, work);
  }

  /** Allocates buffers and creates bind groups again, at other places. The training continues on the same state. */
  async relocate(placement: Placement): Promise<void> {
    const { session, feed, loader } = this.#prepared!;
    if (session === null) return;
    loader.relocate();
    feed.relocate(placement);
    await session.relocate(placement);
    this.place.device!.check();
  }

  /** Runs steps together with the other ranks and returns this rank's spans; null without a session. */
  async trace(): Promise<Span[] | null> {
    const prepared = this.#prepared;
    if (this.interrupted || prepared?.session == null) return null;
    let spans: Span[] = [];
    await whileActive(prepared, async () => {
      spans = await traceSteps(prepared, this.place.device!, this.recorder);
    });
    return spans;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.tuning.close();
    await this.#prepared?.loader.close();
    this.#prepared?.feed.free();
    this.#prepared?.session?.free();
  }

  /** Reads the phase times of all steps since the last call. */
  async #readPasses(): Promise<CleanPasses> {
    return this.record.clean(await this.#prepared!.timestamps?.read() ?? []);
  }

  async #drain(steps: number, numWorkers: number): Promise<void> {
    const drained = drainSteps({ steps, batchSize: samplesPerStep(this.variant.config), numWorkers, unit: this.unit });
    if (drained > 0) await this.warmUp(drained);
  }

  /** Runs steps. The loader is paused before the first and after the last step, also while losses are read. */
  async #run(steps: number, onStep?: (done: number) => void): Promise<FedBlock> {
    const { loader, feed } = this.#prepared!;
    loader.resume();
    try {
      const fed = await feed.run(steps, {
        onStep: (done) => {
          if (done >= steps) loader.pause();
          onStep?.(done);
        },
      });
      this.record.addSteps(fed);
      if (fed.interrupted) this.interrupted = true;
      return fed;
    } finally {
      loader.pause();
    }
  }
}
