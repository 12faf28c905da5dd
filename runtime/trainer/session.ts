import { type CompiledVariant, EVALUATION_GROUP, outputBytes } from "../compile/variant.ts";
import type { Plan } from "../compile/plan.ts";
import type { Device } from "../device/device.ts";
import { TimestampRecorder } from "../device/timestamps.ts";
import { BatchBuffers } from "../engine/batch_buffers.ts";
import { type BufferSource, Executor } from "../engine/executor.ts";
import { loadWeights } from "../engine/load_weights.ts";
import { ModelState } from "../engine/model_state.ts";
import { nullPlan } from "../engine/null_plan.ts";
import type { Placement } from "../engine/placement.ts";
import type { SlotPool } from "../engine/slot_pool.ts";
import type { FieldUpload } from "../record/copies.ts";
import type { Timing } from "../record/timing.ts";
import type { Recorder } from "../record/recorder.ts";
import type { BatchTensors } from "../data/shared.ts";
import type { BatchSource, Feed, FeedContext } from "./feed/feed.ts";
import { type Distribution, GradientExchange } from "../cluster/gradient_exchange.ts";
import { HostFeed } from "./feed/host_feed.ts";
import { SinkFeed } from "./feed/sink_feed.ts";

/** Plans for inference: one returns the model's output, the other scores samples. */
type InferenceKind = "inference" | "evaluation";

/** A plan for inference that uses the session's weights. */
export interface Inference {
  readonly executor: Executor;
  /** Batch that the plan reads. Fields of the same type as the session's share their buffers. */
  readonly batch: BatchBuffers;
  readonly output: GPUBuffer;
}

/** One variant on a device: its state, its executor and the current batch. */
export class Session {
  readonly #device: Device;
  readonly #slots: SlotPool;
  #compiled: CompiledVariant;
  #executor: Executor;
  /** Receives the model's output; null if the plan computes a loss. */
  #output: GPUBuffer | null;
  readonly #inferences = new Map<InferenceKind, Inference>();
  #scores: GPUBuffer | null = null;
  #timestamps: TimestampRecorder | null = null;
  #fed: { readonly feed: Feed; readonly context: FeedContext } | null = null;

  readonly state: ModelState;
  /** Batch that the plan reads. */
  readonly batch: BatchBuffers;
  /** Batches of a step: the micro-batches of a plan that accumulates gradients, else the batch itself. */
  readonly stepBatches: BatchBuffers;

  private constructor(
    device: Device,
    slots: SlotPool,
    compiled: CompiledVariant,
    state: ModelState,
    executor: Executor,
    batch: BatchBuffers,
    stepBatches: BatchBuffers,
    output: GPUBuffer | null,
  ) {
    this.state = state;
    this.batch = batch;
    this.stepBatches = stepBatches;
    this.#device = device;
    this.#slots = slots;
    this.#compiled = compiled;
    this.#executor = executor;
    this.#output = output;
  }

  /**
   * Allocates and initialises buffers and creates pipelines. The plan's slots must be reserved.
   *
   * @throws {InputError} if the weights do not fit the model
   */
  static async create(
    device: Device,
    slots: SlotPool,
    compiled: CompiledVariant,
    options: { seed: number; label: string; onKernel?: ((done: number, all: number) => void) | undefined },
  ): Promise<Session> {
    const { plan } = compiled;
    const batch = BatchBuffers.of(device, plan, options.label);
    const stepBatches = plan.accumulate > 1 ? batch.staging(plan.accumulate, `${options.label}.step`) : batch;
    const state = new ModelState(device, plan, { ...options, lossScale: compiled.lossScale });
    if (compiled.weights !== null) loadWeights(state, compiled.weights);
    const output = plan.hasLoss ? null : outputBuffer(device, plan, options.label);
    const executor = await Executor.create(
      plan,
      device,
      bindings(plan, state, batch, output),
      slots,
      options.onKernel,
      {
        copy: (encoder, n) => stepBatches.copy(encoder, n, batch),
      },
    );
    return new Session(device, slots, compiled, state, executor, batch, stepBatches, output);
  }

  /** Executor of the current plan. */
  get executor(): Executor {
    return this.#executor;
  }

  /** The feed that was created last, or null. */
  get fed(): { readonly feed: Feed; readonly context: FeedContext } | null {
    return this.#fed;
  }

  get compiled(): CompiledVariant {
    return this.#compiled;
  }

  /**
   * Continues with another plan of the same variant, which has other kernels, on the same state. The current feed and
   * inference plans switch too. The slots of the previous plan may already be freed.
   */
  async replan(compiled: CompiledVariant): Promise<void> {
    const before = this.#executor;
    const inferences = [...this.#inferences];
    this.#slots.reserve(compiled.plan.slots);
    for (const [kind, { executor }] of inferences) if (executor !== before) this.#slots.reserve(compiled[kind]().slots);
    this.#executor = await this.#createExecutor(compiled.plan);
    this.#compiled = compiled;
    this.#inferences.clear();
    before.free();
    for (const [kind, inference] of inferences) {
      if (inference.executor === before) continue;
      this.#freeInference(inference);
      await this.#inferenceOf(kind);
    }
  }

  /**
   * Allocates the session's buffers elsewhere, with the same state, and creates its bind groups again, those of inference
   * plans too. Uses all of them once, so that the next step costs no more than others. The slots must be
   * relocated before.
   */
  async relocate(placement: Placement): Promise<void> {
    const copyState = this.state.relocate(placement);
    this.batch.relocate(placement);
    if (this.stepBatches !== this.batch) this.stepBatches.relocate(placement);
    if (this.#output !== null) {
      const before = this.#output;
      this.#output = placement.like(before);
      this.#device.free(before);
    }
    await this.replan(this.#compiled);
    const encoder = this.#device.gpu.createCommandEncoder({ label: "first use" });
    this.#executor.encodeFirstUse(encoder);
    this.#device.submit(encoder);
    copyState();
    this.#device.wait();
  }

  /** Returns the plan that computes the model's output, created on first use. */
  inference(): Promise<Inference> {
    return this.#inferenceOf("inference");
  }

  /** Returns the plan that scores samples, created on first use. */
  evaluation(): Promise<Inference> {
    return this.#inferenceOf("evaluation");
  }

  async #inferenceOf(kind: InferenceKind): Promise<Inference> {
    const known = this.#inferences.get(kind);
    if (known !== undefined) return known;
    const made = await this.#createInference(kind);
    this.#inferences.set(kind, made);
    return made;
  }

  async #createInference(kind: InferenceKind): Promise<Inference> {
    const plan = this.#compiled[kind]();
    if (plan === this.#executor.plan) return { executor: this.#executor, batch: this.batch, output: this.#output! };
    this.#slots.reserve(plan.slots);
    const output = outputBuffer(this.#device, plan, kind);
    const batch = BatchBuffers.of(this.#device, plan, kind, this.batch);
    const averaged = kind === "evaluation" && this.#compiled.evaluatesAverages;
    const buffers = bindings(plan, this.state, batch, output, averaged);
    return { executor: await Executor.create(plan, this.#device, buffers, this.#slots), batch, output };
  }

  /** Creates an executor of weight decay alone, on the same buffers; null without weight decay. The caller frees it. */
  async decayExecutor(): Promise<Executor | null> {
    const { plan } = this.#compiled;
    if (plan.decay === null) return null;
    const { node, dispatches } = plan.decay;
    const segments = [{ phase: node.phase, dispatches }];
    return await this.#createExecutor({ ...plan, accumulate: 1, nodes: [node], segments });
  }

  /** Creates an executor whose kernels do nothing, on the same buffers. The caller frees it. */
  nullExecutor(): Promise<Executor> {
    return this.#createExecutor(nullPlan(this.#compiled.plan));
  }

  /** Returns the buffer that collects the scores of a group of batches, allocated on first use. */
  evaluationScores(): GPUBuffer {
    return this.#scores ??= this.#device.buffer(
      "evaluation",
      outputBytes(this.#compiled.evaluation()) * EVALUATION_GROUP,
      GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    );
  }

  /** Uploads the fields that the plan reads of batch `n` of the next step. */
  upload(tensors: BatchTensors, n = 0): FieldUpload[] {
    return this.stepBatches.write(tensors, n);
  }

  /** Runs one step on the current batch and waits for it, for example to compile the shaders. */
  runOnce(): void {
    const encoder = this.#device.gpu.createCommandEncoder({ label: "once" });
    this.executor.encode(encoder);
    this.#device.submit(encoder);
    this.#device.wait();
  }

  /** Creates the feed that the variant's settings ask for. */
  feed(
    loader: BatchSource,
    options: {
      monitor: "block" | "step";
      timing?: Timing | null;
      timestamps: boolean;
      recorder: Recorder | null;
      shouldStop: () => boolean;
      /** The ranks that share the training; null or missing on one. */
      distribution?: Distribution | null;
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
      batch: this.stepBatches,
      batches: this.#compiled.plan.accumulate,
      hasLoss: this.executor.plan.hasLoss,
      timestamps: this.#timestamps,
      recorder: options.recorder,
      timing: options.timing ?? null,
      exchange: options.distribution == null
        ? null
        : new GradientExchange(this.#device, this.state, this.executor.plan, options.distribution),
      shouldStop: options.shouldStop,
    };
    const { sink } = this.#compiled;
    const feed = sink > 0 ? new SinkFeed(context, sink) : new HostFeed(context, options);
    this.#fed = { feed, context };
    return { feed, timestamps: this.#timestamps, context };
  }

  #createExecutor(plan: Plan): Promise<Executor> {
    const buffers = bindings(plan, this.state, this.batch, this.#output);
    return Executor.create(plan, this.#device, buffers, this.#slots, undefined, {
      copy: (encoder, n) => this.stepBatches.copy(encoder, n, this.batch),
    });
  }

  #freeInference({ executor, batch, output }: Inference): void {
    executor.free();
    batch.free();
    this.#device.free(output);
  }

  free(): void {
    this.state.free();
    this.executor.free();
    for (const inference of this.#inferences.values()) {
      if (inference.executor !== this.executor) this.#freeInference(inference);
    }
    if (this.#output !== null) this.#device.free(this.#output);
    if (this.#scores !== null) this.#device.free(this.#scores);
    this.#timestamps?.free();
    if (this.stepBatches !== this.batch) this.stepBatches.free();
    this.batch.free();
  }
}

/** @param averaged binds the moving averages in place of the parameters; default false */
function bindings(
  plan: Plan,
  state: ModelState,
  batch: BatchBuffers,
  output: GPUBuffer | null,
  averaged = false,
): BufferSource {
  return new Map([
    ...state.buffersFor(plan),
    ...averaged ? [["parameters", state.averaged] as const] : [],
    ...batch.bindings,
    ...output === null ? [] : [["output", output] as const],
  ]);
}

function outputBuffer(device: Device, plan: Plan, label: string): GPUBuffer {
  return device.buffer(`${label}.output`, outputBytes(plan), GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
}
