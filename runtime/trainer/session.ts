import { type CompiledVariant, compileVariant } from "../compile/variant.ts";
import { EVALUATION_GROUP, outputBytes } from "../compile/variant.ts";
import type { Plan } from "../compile/plan.ts";
import type { Device } from "../device/device.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import { BatchBuffers } from "../engine/batch_buffers.ts";
import { Executor } from "../engine/executor.ts";
import { ModelState } from "../engine/model_state.ts";
import { nullPlan } from "../engine/null_plan.ts";
import type { SlotPool } from "../engine/slot_pool.ts";
import type { Timing } from "../record/timing.ts";
import type { Recorder } from "../record/recorder.ts";
import type { BatchTensors } from "../data/shared.ts";
import type { BatchSource, Feed, FeedContext } from "../feed/context.ts";
import { HostFeed } from "../feed/host_feed.ts";
import { SinkFeed } from "../feed/sink_feed.ts";

export { type CompiledVariant, compileVariant };

/** Plans beside the variant's own: one that returns the model's output, and one that scores samples. */
type Aside = "inference" | "evaluation";

/** Such a plan over the session's weights. */
export interface Inference {
  readonly executor: Executor;
  /** The batch it reads; shares the session's fields of the same type. */
  readonly batch: BatchBuffers;
  readonly output: GPUBuffer;
}

/** One variant on a device: its state, its executor, and the batch in work. */
export class Session {
  readonly #device: Device;
  readonly #slots: SlotPool;
  readonly #buffers: ReadonlyMap<string, GPUBuffer>;
  #compiled: CompiledVariant;
  #executor: Executor;
  /** Takes what the model returns; null if the plan ends in a loss. */
  readonly #output: GPUBuffer | null;
  readonly #asides = new Map<Aside, Inference>();
  #scores: GPUBuffer | null = null;
  #timestamps: TimestampRecorder | null = null;
  #fed: { readonly feed: Feed; readonly context: FeedContext } | null = null;

  private constructor(
    device: Device,
    slots: SlotPool,
    compiled: CompiledVariant,
    readonly state: ModelState,
    executor: Executor,
    readonly batch: BatchBuffers,
    output: GPUBuffer | null,
    buffers: ReadonlyMap<string, GPUBuffer>,
  ) {
    this.#device = device;
    this.#slots = slots;
    this.#compiled = compiled;
    this.#executor = executor;
    this.#buffers = buffers;
    this.#output = output;
  }

  /** Allocates, initialises and makes the pipelines. The plan's slots must be reserved. */
  static async create(
    device: Device,
    slots: SlotPool,
    compiled: CompiledVariant,
    options: { seed: number; label: string },
  ): Promise<Session> {
    const { plan } = compiled;
    const batch = BatchBuffers.of(device, plan.inputs, options.label);
    const state = new ModelState(device, plan, { ...options, lossScale: compiled.lossScale });
    const output = plan.hasLoss ? null : outputBuffer(device, plan, options.label);
    const buffers = new Map([...state.buffers, ...batch.bindings]);
    if (output !== null) buffers.set("output", output);
    const executor = await Executor.create(plan, device, buffers, slots);
    return new Session(device, slots, compiled, state, executor, batch, output, buffers);
  }

  /** The plan made real. */
  get executor(): Executor {
    return this.#executor;
  }

  /** The feed that was made last; null before. */
  get fed(): { readonly feed: Feed; readonly context: FeedContext } | null {
    return this.#fed;
  }

  get compiled(): CompiledVariant {
    return this.#compiled;
  }

  /**
   * Goes on with another plan of the same variant, over the same state: one with other kernels. Its feed and its plan for
   * inference, where it has them, go on with it. The slots of the plan before may have been freed.
   */
  async replan(compiled: CompiledVariant): Promise<void> {
    const before = this.#executor;
    const asides = [...this.#asides];
    this.#slots.reserve(compiled.plan.slots);
    for (const [name, { executor }] of asides) if (executor !== before) this.#slots.reserve(compiled[name]().slots);
    this.#executor = await Executor.create(compiled.plan, this.#device, this.#buffers, this.#slots);
    this.#compiled = compiled;
    this.#asides.clear();
    before.free();
    for (const [name, aside] of asides) {
      if (aside.executor === before) continue;
      this.#freeAside(aside);
      await this.#aside(name);
    }
  }

  /** The plan that returns the model's output, with its buffers; made when first asked for. */
  inference(): Promise<Inference> {
    return this.#aside("inference");
  }

  /** The plan that scores samples, with its buffers; made when first asked for. */
  evaluation(): Promise<Inference> {
    return this.#aside("evaluation");
  }

  async #aside(name: Aside): Promise<Inference> {
    const known = this.#asides.get(name);
    if (known !== undefined) return known;
    const made = await this.#createAside(name);
    this.#asides.set(name, made);
    return made;
  }

  async #createAside(name: Aside): Promise<Inference> {
    const plan = this.#compiled[name]();
    if (plan === this.#executor.plan) return { executor: this.#executor, batch: this.batch, output: this.#output! };
    this.#slots.reserve(plan.slots);
    const output = outputBuffer(this.#device, plan, name);
    const batch = BatchBuffers.of(this.#device, plan.inputs, name, this.batch);
    const buffers = new Map([...this.state.buffers, ...batch.bindings, ["output", output]]);
    return { executor: await Executor.create(plan, this.#device, buffers, this.#slots), batch, output };
  }

  /** The plan with kernels that do nothing, over the same buffers; the caller frees it. */
  nullExecutor(): Promise<Executor> {
    return Executor.create(nullPlan(this.#compiled.plan), this.#device, this.#buffers, this.#slots);
  }

  /** Collects the scores of a group of batches; made when first asked for. */
  evaluationScores(): GPUBuffer {
    return this.#scores ??= this.#device.buffer(
      "evaluation",
      outputBytes(this.#compiled.evaluation()) * EVALUATION_GROUP,
      GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    );
  }

  /** Copies a batch to the device: the fields that the plan reads. */
  upload(tensors: BatchTensors): void {
    this.batch.write(tensors);
  }

  /** Runs one step on whatever the batch buffers hold, and waits for it; for what has to happen once, as compilation. */
  runOnce(): void {
    const encoder = this.#device.gpu.createCommandEncoder({ label: "once" });
    this.executor.encode(encoder);
    this.#device.submit(encoder);
    this.#device.wait();
  }

  /** How steps are fed, by the variant's settings. */
  feed(
    loader: BatchSource,
    options: {
      monitor: "block" | "step";
      timing?: Timing | null;
      timestamps: boolean;
      recorder: Recorder | null;
      shouldStop: () => boolean;
    },
  ): { feed: Feed; timestamps: TimestampRecorder | null; context: FeedContext } {
    if (options.timestamps && this.#device.timestamps) this.#timestamps ??= new TimestampRecorder(this.#device);
    const current = () => this.#executor;
    const context: FeedContext = {
      device: this.#device,
      get executor() {
        return current();
      },
      state: this.state,
      source: loader,
      batch: this.batch,
      hasLoss: this.executor.plan.hasLoss,
      timestamps: this.#timestamps,
      recorder: options.recorder,
      timing: options.timing ?? null,
      shouldStop: options.shouldStop,
    };
    const { sink } = this.#compiled;
    const feed = sink > 0 ? new SinkFeed(context, sink) : new HostFeed(context, options);
    this.#fed = { feed, context };
    return { feed, timestamps: this.#timestamps, context };
  }

  #freeAside({ executor, batch, output }: Inference): void {
    executor.free();
    batch.free();
    this.#device.free(output);
  }

  free(): void {
    this.state.free();
    this.executor.free();
    for (const aside of this.#asides.values()) if (aside.executor !== this.executor) this.#freeAside(aside);
    if (this.#output !== null) this.#device.free(this.#output);
    if (this.#scores !== null) this.#device.free(this.#scores);
    this.#timestamps?.free();
    this.batch.free();
  }
}

function outputBuffer(device: Device, plan: Plan, label: string): GPUBuffer {
  return device.buffer(`${label}.output`, outputBytes(plan), GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
}
