import { classAxis } from "../../ops/cross_entropy.ts";
import { InputError } from "../core/errors.ts";
import { toLogical } from "../core/layout.ts";
import { type Shape, sizeOf } from "../core/shape.ts";
import { checkBudget, memoryLimit } from "../compile/budget.ts";
import { compileVariant, loaderLayout } from "../compile/variant.ts";
import { type DatasetDescription, describeDataset } from "../data/describe.ts";
import { createLoader } from "../data/loader/create_loader.ts";
import type { Loader } from "../data/loader/loader.ts";
import { Device } from "../device/device.ts";
import { writeSafetensors } from "../data/safetensors/write.ts";
import { type LoadedWeights, loadWeights } from "../engine/load_weights.ts";
import type { HostTensor, StepOutcome } from "../engine/model_state.ts";
import { SlotPool } from "../engine/slot_pool.ts";
import type { TuningOutcome } from "../engine/tuning/tuner.ts";
import { TuningWindow } from "../engine/tuning/window.ts";
import { comparesClasses, ignoredClass } from "../nn/losses.ts";
import type { Config } from "../scenario/config.ts";
import type { Scenario } from "../scenario/definition.ts";
import { resolveForAdapter } from "../scenario/resolve_for_adapter.ts";
import { takeBatch } from "../feed/feed.ts";
import { recordLosses } from "../feed/record_losses.ts";
import { recordCopy } from "../record/copies.ts";
import type { Recorder } from "../record/recorder.ts";
import { evaluate, type EvaluationOutcome } from "./evaluate.ts";
import { batchAt, forwardFields, stepBatch, type TrainerBatch, type TrainerTensor } from "./host_batch.ts";
import { compareOutputs, type OutputCheck } from "./output_check.ts";
import { Session } from "./session.ts";
import type { StepObserver } from "./step_observer.ts";

/** Options of `createTrainer`. */
export interface TrainerOptions {
  /** Name of the variant to train; defaults to the scenario's baseline. */
  readonly variant?: string;
  /** Overrides as on the command line, such as `"optimizer.learningRate=0.01"`. */
  readonly overrides?: readonly string[];
  /** Allows calls of {@linkcode Trainer.gradients}; default false. Does not change results. */
  readonly keepGradients?: boolean;
  /** Part of the name of the adapter to use. */
  readonly adapter?: string;
}

/** Options of {@linkcode Trainer.load}. */
export interface LoadOptions {
  /** Requires that file and model have the same tensors. Default: true. */
  readonly strict?: boolean;
  /**
   * Outputs of the implementation that the weights are from. Names and shapes alone do not show that a square matrix is
   * transposed, or that layers differ in an option.
   */
  readonly check?: OutputCheck;
}

/** Result of a step. */
export interface TrainerStep extends StepOutcome {
  /** Number of steps before this one. */
  readonly step: number;
}

/** A `Float32Array` in row-major order that also has a `shape`. */
export type ShapedArray = Float32Array & HostTensor;

/**
 * Opens a device and prepares a variant of a scenario for training.
 *
 * @example
 * ```ts
 * import { createTrainer, crossEntropy, linear, scenario, sgd, tensors } from "@tacho/tacho";
 *
 * const points = scenario({
 *   name: "points",
 *   model: linear(2),
 *   loss: crossEntropy(),
 *   optimizer: sgd({ learningRate: 0.1 }),
 *   data: tensors({
 *     input: { shape: [4], data: new Float32Array(64 * 4).fill(1) },
 *     target: { data: new Int32Array(64) },
 *     classes: 2,
 *   }),
 * });
 * await using trainer = await createTrainer(points);
 * for (let i = 0; i < 3; i++) console.log((await trainer.step()).loss);
 * ```
 *
 * @throws {InputError} if the scenario is wrong or needs more memory than the budget
 * @throws {DeviceError} if there is no adapter
 */
export async function createTrainer(scenario: Scenario, options: TrainerOptions = {}): Promise<Trainer> {
  const { overrides = [], adapter } = options;
  const resolved = await resolveForAdapter(scenario, { overrides, adapter });
  const wanted = options.variant ?? resolved.baseline;
  const name = resolved.aliases.find((alias) => alias.name === wanted)?.of ?? wanted;
  const variant = resolved.variants.find((candidate) => candidate.name === name);
  if (variant === undefined) {
    throw new InputError(
      `createTrainer: the scenario has no variant "${name}"; known: ${resolved.variants.map((v) => v.name).join(", ")}`,
    );
  }
  const { config } = variant;
  if (config.model === null) throw new InputError(`createTrainer: variant "${name}" has no model to train`);
  const dataset = describeDataset(config.data);
  const device = await Device.open(options.adapter === undefined ? {} : { match: options.adapter });
  try {
    if (config.amp.level !== "O0" && !device.traits.f16) {
      throw new InputError(`amp is ${config.amp.level}, but the adapter "${device.info.name}" has no shader-f16`);
    }
    const limit = memoryLimit(config.memoryBudget, device.info);
    const compiled = compileVariant(config, dataset, device.traits, {
      checkMemory: (memory, least) => checkBudget([{ name, memory, least }], limit, "the budget"),
    });
    const slots = new SlotPool(device);
    slots.reserve(compiled.plan.slots);
    const session = await Session.create(device, slots, compiled, { seed: config.seed, label: name });
    await device.settle();
    return open({ config, dataset, device, slots, session, keepGradients: options.keepGradients ?? false });
  } catch (error) {
    device.destroy();
    throw error;
  }
}

/** Parts of a trainer that a profiler uses. */
export interface TrainerParts {
  readonly config: Config;
  readonly dataset: DatasetDescription;
  readonly session: Session;
}

/** What a trainer owns. */
interface TrainerResources extends TrainerParts {
  readonly device: Device;
  readonly slots: SlotPool;
  readonly keepGradients: boolean;
}

/** Creates a trainer, which takes ownership of the device, the slots and the session. */
let open: (resources: TrainerResources) => Trainer;
/** Returns the parts of a trainer that a profiler uses. */
export let partsOf: (trainer: Trainer) => TrainerParts;
/**
 * Lets an observer run a trainer's steps, or no longer.
 *
 * @throws {InputError} if the trainer has another observer
 */
export let observeSteps: (trainer: Trainer, observer: StepObserver, on: boolean) => void;

/** A variant of a scenario that a script trains step by step. Tensors are f32 and have PyTorch's shapes. */
export class Trainer implements AsyncDisposable {
  readonly #config: Config;
  readonly #dataset: DatasetDescription;
  readonly #device: Device;
  readonly #slots: SlotPool;
  readonly #session: Session;
  readonly #keepGradients: boolean;
  readonly #tuning: TuningWindow | null;
  #tuned: TuningOutcome | null = null;
  #loader: Loader | null = null;
  #steps = 0;
  #lastScale = 1;
  #closed = false;
  #observer: StepObserver | null = null;

  static {
    open = (resources) => new Trainer(resources);
    partsOf = (trainer) => ({ config: trainer.#config, dataset: trainer.#dataset, session: trainer.#session });
    observeSteps = (trainer, observer, on) => {
      const taken = trainer.#observer !== null && trainer.#observer !== observer;
      if (on && taken) throw new InputError("profile: another profiler records this trainer; stop() it first");
      if (!taken) trainer.#observer = on ? observer : null;
    };
  }

  private constructor({ config, dataset, device, slots, session, keepGradients }: TrainerResources) {
    this.#config = config;
    this.#dataset = dataset;
    this.#device = device;
    this.#slots = slots;
    this.#session = session;
    this.#keepGradients = keepGradients;
    const { autotune } = config.compile;
    const hooks = { shouldStop: () => false, onProgress: () => {} };
    this.#tuning = autotune === null ? null : new TuningWindow(config, dataset, device, autotune, hooks);
  }

  /** Device that the trainer uses, with its counts of submits, waits and readbacks. */
  get device(): Device {
    return this.#device;
  }

  /** Fingerprint of the current plan. With `compile.autotune`, it changes once, at the end of the tuning window. */
  get planFingerprint(): string {
    return this.#session.executor.plan.fingerprint;
  }

  /** Result of tuning; null before the end of the tuning window and without `compile.autotune`. */
  get tuning(): TuningOutcome | null {
    return this.#tuned;
  }

  /**
   * Trains one step on a batch, by default the next one of the scenario's data, and reads its loss back.
   *
   * @param batch a record such as `{ input, target }`
   * @throws {InputError} if the variant has no loss, the batch has another size than the scenario's, or a label is out of
   * range
   */
  async step(batch?: TrainerBatch): Promise<TrainerStep> {
    this.#check();
    if (!this.#session.executor.plan.hasLoss) {
      throw new InputError("step: this variant has no loss; give the scenario a loss, or use forward()");
    }
    await this.#tune();
    const observer = this.#observer;
    const recorder = observer?.recorder ?? null;
    let readerCost: number | null = null;
    if (batch === undefined) readerCost = await this.#feedFromData(recorder);
    else this.#feed(batch, recorder);
    if (observer === null) this.#submit();
    else observer.submit(this.#session);
    const step = this.#steps++;
    const submitted = performance.now();
    const [outcome] = await this.#session.state.outcomes(step, 1);
    recordLosses(recorder, 1, submitted);
    this.#device.check();
    this.#lastScale = outcome!.lossScale;
    observer?.onStep({ index: step, loss: outcome!.loss, readerCost });
    return { ...outcome!, step };
  }

  /**
   * Reads the gradients of the last step's mean loss by parameter name, unscaled and before weight decay.
   *
   * @throws {InputError} without `keepGradients`, before the first step, or if the variant is not trained
   */
  async gradients(): Promise<Map<string, HostTensor>> {
    this.#check();
    if (!this.#keepGradients) throw new InputError("gradients: create the trainer with { keepGradients: true }");
    if (this.#steps === 0) throw new InputError("gradients: there are none before the first step()");
    if (!this.#session.state.buffers.has("gradients")) {
      throw new InputError("gradients: this variant is not trained; give the scenario an optimizer and mode train");
    }
    return await this.#session.state.read("gradients", this.#lastScale);
  }

  /**
   * Reads the parameters by name. Weights are `[out, in / groups, kh, kw]` for convolutions, `[out, in]` for linear
   * layers.
   */
  async parameters(): Promise<Map<string, HostTensor>> {
    this.#check();
    return await this.#session.state.read("parameters");
  }

  /** Reads the running means and variances by name. */
  async runningState(): Promise<Map<string, HostTensor>> {
    this.#check();
    return await this.#session.state.read("state");
  }

  /**
   * Sets parameters and running values by name. Tensors without a new value keep theirs.
   *
   * @throws {InputError} if the model has no tensor of this name and shape; nothing is changed then
   */
  async loadParameters(tensors: ReadonlyMap<string, HostTensor>): Promise<void> {
    this.#check();
    this.#session.state.load(tensors);
    await this.#device.settle();
  }

  /**
   * Writes parameters and running values to a safetensors file, in f32, under the names of
   * {@linkcode Trainer.parameters}. An existing file is replaced when the new one is complete.
   *
   * @throws {InputError} if the file cannot be written
   */
  async save(file: string): Promise<void> {
    await writeSafetensors(file, new Map([...await this.parameters(), ...await this.runningState()]));
  }

  /**
   * Reads parameters and running values from a safetensors file in f32, f16 or bf16, or from the index
   * (`model.safetensors.index.json`) of several. The optimizer's state stays as it is.
   *
   * @returns the number of tensors, and the names that were missing or unexpected
   * @throws {InputError} if the file is damaged, listing all tensors that do not fit, or if outputs differ from
   * `options.check`; nothing is changed then
   */
  async load(file: string, options: LoadOptions = {}): Promise<LoadedWeights> {
    this.#check();
    const { strict = true, check } = options;
    const before = check === undefined ? null : new Map([...await this.parameters(), ...await this.runningState()]);
    const loaded = loadWeights(this.#session.state, file, strict);
    await this.#device.settle();
    if (check === undefined || before === null) return loaded;
    try {
      compareOutputs(file, await this.forward(check.input), check);
    } catch (error) {
      await this.loadParameters(before);
      throw error;
    }
    return loaded;
  }

  /**
   * Returns the model's output in inference mode: running statistics, no dropout.
   *
   * @param input any number of samples: a record of the fields that the model reads, or the tensor of its only field
   * @returns f32 outputs of all samples, the number of samples first in their shape
   * @throws {InputError} if a field is missing or does not fit the model
   */
  async forward(input: TrainerTensor | TrainerBatch): Promise<ShapedArray> {
    this.#check();
    const { executor, batch: buffers, output } = await this.#session.inference();
    const { inputs, output: outputType } = executor.plan;
    const { samples, tensors } = forwardFields(input, inputs);
    const batch = outputType.shape[0]!;
    const outputSize = sizeOf(outputType.shape) / batch;
    const result = new Float32Array(samples * outputSize);
    for (let first = 0; first < samples; first += batch) {
      const count = Math.min(batch, samples - first);
      buffers.write(batchAt(tensors, inputs, first));
      const encoder = this.#device.gpu.createCommandEncoder({ label: "forward" });
      executor.encode(encoder);
      this.#device.submit(encoder);
      const [bytes] = await this.#device.read([{ buffer: output, offset: 0, size: batch * outputSize * 4 }]);
      const logical = toLogical(new Float32Array(bytes!), outputType.shape, outputType.layout);
      result.set(logical.subarray(0, count * outputSize), first * outputSize);
    }
    this.#device.check();
    const shape: Shape = [samples, ...outputType.shape.slice(1)];
    return Object.assign(result, { shape, data: result });
  }

  /** Evaluates loss and accuracy on the scenario's test split. */
  async evaluate(): Promise<EvaluationOutcome> {
    this.#check();
    return await evaluate(this.#session, this.#device, this.#config, this.#dataset, { shouldStop: () => false });
  }

  /** Closes the trainer and destroys its device. A second call has no effect. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#loader?.close();
    await this.#tuning?.close();
    this.#session.free();
    this.#slots.free();
    this.#device.destroy();
  }

  #check(): void {
    if (this.#closed) throw new InputError("The trainer was closed; create another one");
    this.#device.check();
  }

  /** Tunes some kernels before a step of the tuning window. At its end, switches to the best kernels. */
  async #tune(): Promise<void> {
    if (this.#tuning === null || this.#tuned !== null) return;
    this.#loader?.pause(); // Its workers would slow down kernels on a software adapter
    try {
      if (this.#steps < this.#config.compile.autotune!.stop) return await this.#tuning.before(this.#steps);
      const { compiled, outcome } = await this.#tuning.finish();
      this.#slots.free(); // No value in a slot outlives a step
      await this.#session.replan(compiled);
      await this.#device.settle();
      this.#tuned = outcome;
    } finally {
      this.#loader?.resume();
    }
  }

  #submit(): void {
    const encoder = this.#device.gpu.createCommandEncoder({ label: `step ${this.#steps}` });
    this.#session.executor.encode(encoder);
    this.#device.submit(encoder);
  }

  /** Feeds the next batch of the scenario's data. Returns the time to take it from the loader, in ms. */
  async #feedFromData(recorder: Recorder | null): Promise<number> {
    const { loader, data, seed } = this.#config;
    this.#loader ??= await createLoader(data, {
      ...loader,
      seed,
      split: "train",
      layout: loaderLayout(this.#dataset, this.#config),
    });
    this.#loader.trace(recorder !== null);
    return (await takeBatch(this.#loader, recorder, (tensors) => this.#session.upload(tensors))).readerCost;
  }

  #feed(batch: TrainerBatch, recorder: Recorder | null): void {
    const { inputs, output } = this.#session.executor.plan;
    if (this.#dataset.device !== undefined) {
      throw new InputError(
        "step: data.placement is device, so batches are the data set's own; call step() without a batch, or use " +
          'placement "host"',
      );
    }
    const tensors = stepBatch(batch, inputs);
    const { target } = tensors;
    if (target instanceof Int32Array && comparesClasses(this.#config.loss)) {
      checkLabels(target, output.shape[classAxis(output)]!, ignoredClass(this.#config.loss));
    }
    const start = performance.now();
    this.#session.upload(tensors);
    const end = performance.now();
    recorder?.span("main", "let data", start, end);
    const bytes = Object.values(tensors).reduce((sum, { byteLength }) => sum + byteLength, 0);
    recordCopy(recorder, "batch", start, end, bytes);
  }
}

function checkLabels(labels: Int32Array, classes: number, ignored: number | null): void {
  const wrong = labels.findIndex((label) => label !== ignored && (label < 0 || label >= classes));
  if (wrong < 0) return;
  throw new InputError(
    `step: target[${wrong}] is ${labels[wrong]}, expected a class from 0 to ${classes - 1}; the model returns ` +
      `${classes} logits for each target` + (ignored === null ? "" : `, and targets of ${ignored} do not count`),
  );
}
