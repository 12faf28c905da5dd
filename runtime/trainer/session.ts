import { type CompiledVariant, compileVariant } from "../compile/variant.ts";
import { batchBytes, EVALUATION_GROUP, outputBytes, sharesInput } from "../compile/variant.ts";
import type { Plan } from "../compile/plan.ts";
import type { Device } from "../device/device.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import { Executor } from "../engine/executor.ts";
import { ModelState } from "../engine/model_state.ts";
import { nullPlan } from "../engine/null_plan.ts";
import type { SlotPool } from "../engine/slot_pool.ts";
import type { Timing } from "../record/timing.ts";
import type { Recorder } from "../record/recorder.ts";
import type { Loader } from "../data/loader/loader.ts";
import type { Feed, FeedContext } from "../feed/context.ts";
import { HostFeed } from "../feed/host_feed.ts";
import { SinkFeed } from "../feed/sink_feed.ts";

export { type CompiledVariant, compileVariant };

/** A plan for inference made real. */
export interface Inference {
  readonly executor: Executor;
  /** Where it reads images: the batch in work, unless that arrives as bytes that the device makes images of. */
  readonly input: GPUBuffer;
  readonly output: GPUBuffer;
}

/** One variant on a device: its state, the plan made real, and the buffers of the batch in work. */
export class Session {
  readonly input: GPUBuffer;
  readonly target: GPUBuffer;
  readonly #device: Device;
  readonly #slots: SlotPool;
  readonly #buffers: ReadonlyMap<string, GPUBuffer>;
  #compiled: CompiledVariant;
  #executor: Executor;
  /** Where the plan itself writes what the model returns; null where it ends in a loss. */
  readonly #output: GPUBuffer | null;
  #inference: Inference | null = null;
  #evaluation: GPUBuffer | null = null;
  #timestamps: TimestampRecorder | null = null;
  #fed: { readonly feed: Feed; readonly context: FeedContext } | null = null;

  private constructor(
    device: Device,
    slots: SlotPool,
    compiled: CompiledVariant,
    readonly state: ModelState,
    executor: Executor,
    batch: { input: GPUBuffer; target: GPUBuffer },
    output: GPUBuffer | null,
    buffers: ReadonlyMap<string, GPUBuffer>,
  ) {
    this.#device = device;
    this.#slots = slots;
    this.#compiled = compiled;
    this.#executor = executor;
    this.#buffers = buffers;
    this.input = batch.input;
    this.target = batch.target;
    this.#output = output;
    // A plan without a loss that trains uses the batch's statistics and drops out: it is no inference
    if (output !== null && executor.plan.mode === "infer" && executor.plan.input.dtype === "f32") {
      this.#inference = { executor, output, input: this.input };
    }
  }

  /** Allocates, initialises and makes the pipelines. The plan's slots must be reserved. */
  static async create(
    device: Device,
    slots: SlotPool,
    compiled: CompiledVariant,
    options: { seed: number; label: string },
  ): Promise<Session> {
    const { plan } = compiled;
    const batch = {
      input: inputBuffer(device, plan, options.label),
      target: device.buffer(`${options.label}.target`, batchBytes(plan).target, BATCH_USAGE),
    };
    const state = new ModelState(device, plan, { ...options, lossScale: compiled.lossScale });
    const output = plan.target === null ? outputBuffer(device, plan, options.label) : null;
    const buffers = new Map([...state.buffers, ["input", batch.input], ["target", batch.target]]);
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
    const inference = this.#inference;
    const apart = inference !== null && inference.executor !== before;
    this.#slots.reserve(compiled.plan.slots);
    if (apart) this.#slots.reserve(compiled.inference().slots);
    this.#executor = await Executor.create(compiled.plan, this.#device, this.#buffers, this.#slots);
    this.#compiled = compiled;
    this.#inference = null;
    before.free();
    if (inference === null) return;
    if (apart) {
      this.#freeInference(inference);
      await this.inference();
    } else this.#inference = { ...inference, executor: this.#executor };
  }

  /** The plan for inference over this session's weights, and where its output goes; made when first asked for. */
  async inference(): Promise<Inference> {
    if (this.#inference === null) {
      const plan = this.#compiled.inference();
      this.#slots.reserve(plan.slots);
      const output = outputBuffer(this.#device, plan, "inference");
      const input = sharesInput(this.#compiled.plan, plan) ? this.input : inputBuffer(this.#device, plan, "inference");
      const buffers = new Map([...this.state.buffers, ["input", input], ["output", output]]);
      this.#inference = { executor: await Executor.create(plan, this.#device, buffers, this.#slots), input, output };
    }
    return this.#inference;
  }

  /** The plan with kernels that do nothing, over the same buffers; the caller frees it. */
  nullExecutor(): Promise<Executor> {
    return Executor.create(nullPlan(this.#compiled.plan), this.#device, this.#buffers, this.#slots);
  }

  /** Where the outputs of a group of batches are collected; made when first asked for. */
  evaluationOutputs(): GPUBuffer {
    return this.#evaluation ??= this.#device.buffer(
      "evaluation",
      outputBytes(this.#compiled.inference()) * EVALUATION_GROUP,
      GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    );
  }

  /** Copies a batch into the batch buffers. */
  upload(batch: { readonly input: Float32Array; readonly target: Int32Array | Float32Array }): void {
    this.#device.write(this.input, 0, batch.input);
    if (this.executor.plan.target !== null) this.#device.write(this.target, 0, batch.target);
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
    loader: Loader,
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
      input: this.input,
      target: this.executor.plan.target === null ? null : this.target,
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

  #freeInference({ executor, input, output }: Inference): void {
    executor.free();
    this.#device.free(output);
    if (input !== this.input) this.#device.free(input);
  }

  free(): void {
    this.state.free();
    this.executor.free();
    if (this.#inference !== null && this.#inference.executor !== this.executor) this.#freeInference(this.#inference);
    if (this.#output !== null) this.#device.free(this.#output);
    if (this.#evaluation !== null) this.#device.free(this.#evaluation);
    this.#timestamps?.free();
    this.#device.free(this.input);
    this.#device.free(this.target);
  }
}

const BATCH_USAGE = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;

function inputBuffer(device: Device, plan: Plan, label: string): GPUBuffer {
  return device.buffer(`${label}.input`, batchBytes(plan).input, BATCH_USAGE);
}

function outputBuffer(device: Device, plan: Plan, label: string): GPUBuffer {
  return device.buffer(`${label}.output`, outputBytes(plan), GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
}
