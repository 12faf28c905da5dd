import { checkOptions } from "../../ops/check_arguments.ts";
import { InputError } from "../core/errors.ts";
import { isInstance } from "../core/is_instance.ts";
import { shown } from "../core/shown.ts";
import type { DatasetDescription } from "../data/describe.ts";
import { writeSafetensors } from "../data/safetensors/write.ts";
import type { Device } from "../device/device.ts";
import { readCheckpoint, writeCheckpoint } from "../engine/checkpoint.ts";
import { type LoadedWeights, loadWeights } from "../engine/load_weights.ts";
import type { HostTensor, StepOutcome } from "../engine/model_state.ts";
import type { SlotPool } from "../engine/slot_pool.ts";
import type { TuningOutcome } from "../engine/tuning/tuner.ts";
import { TuningWindow } from "../engine/tuning/window.ts";
import { recordLosses } from "./feed/feed.ts";
import type { Config } from "../scenario/config.ts";
import { evaluate, type EvaluationOutcome } from "./evaluate.ts";
import type { TrainerBatch, TrainerTensor } from "./host_batch.ts";
import { inferSamples, type ShapedArray } from "./infer_samples.ts";
import { compareOutputs, type OutputCheck } from "./output_check.ts";
import type { Session } from "./session.ts";
import type { StepObserver } from "./step_observer.ts";
import { TrainerFeed } from "./trainer_feed.ts";

/** Options of {@linkcode Trainer.load}. */
export interface LoadOptions {
  /** Requires that file and model have the same tensors, and that all values are finite. Default: true. */
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

/** Parts of a trainer that a profiler uses. */
export interface TrainerParts {
  readonly config: Config;
  readonly dataset: DatasetDescription;
  readonly session: Session;
}

/** Resources that a trainer owns. */
export interface TrainerResources extends TrainerParts {
  readonly device: Device;
  readonly slots: SlotPool;
  readonly keepGradients: boolean;
}

/** Creates a trainer, which takes ownership of the device, the slots and the session. */
export let openTrainer: (resources: TrainerResources) => Trainer;
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
  readonly #feed: TrainerFeed;
  readonly #keepGradients: boolean;
  readonly #tuning: TuningWindow | null;
  #tuned: TuningOutcome | null = null;
  #steps = 0;
  #lastScale = 1;
  #closed = false;
  #observer: StepObserver | null = null;

  static {
    openTrainer = (resources) => new Trainer(resources);
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
    this.#feed = new TrainerFeed(config, dataset, session);
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
    if (batch === undefined) readerCost = await this.#feed.next(recorder);
    else this.#feed.take(batch, recorder);
    if (observer === null) this.#submit();
    else observer.submit(this.#session);
    const step = this.#steps++;
    const submitted = performance.now();
    const [outcome] = await this.#session.state.outcomes(step, 1);
    recordLosses(recorder, 1, submitted);
    this.#device.check();
    this.#lastScale = outcome!.lossScale;
    observer?.onStep({ index: step, loss: outcome!.loss, readerCost });
    return { ...outcome!, ...this.#config.schedule === null && { rateFactor: 1 }, step };
  }

  /**
   * Reads the gradients of the last step's mean loss by parameter name, unscaled and before weight decay.
   *
   * @throws {InputError} without `keepGradients`, before the first step, or if nothing is trained
   */
  async gradients(): Promise<Map<string, HostTensor>> {
    this.#check();
    if (!this.#keepGradients) throw new InputError("gradients: create the trainer with { keepGradients: true }");
    if (this.#steps === 0) throw new InputError("gradients: there are none before the first step()");
    if (!this.#session.state.buffers.has("gradients")) {
      throw new InputError(
        "gradients: nothing is trained; give the model parameters, and the scenario an optimizer and mode train",
      );
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

  /**
   * Reads the moving averages of the parameters by name.
   *
   * @throws {InputError} if the variant has no averages
   */
  async averages(): Promise<Map<string, HostTensor>> {
    this.#check();
    if (!this.#session.state.buffers.has("averages")) {
      throw new InputError(
        "averages: this variant has none; give the scenario an optimizer and ema, such as ema: true",
      );
    }
    return await this.#session.state.read("averages");
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
    if (!isInstance(tensors, Map)) {
      throw new InputError(`loadParameters: expected a Map from names to { shape, data }, got ${shown(tensors)}`);
    }
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
   * @returns the number of tensors, and the names that were missing, unexpected or not finite
   * @throws {InputError} if the file is damaged, listing all tensors that do not fit or are not finite, or if outputs differ
   * from `options.check`; nothing is changed then
   */
  async load(file: string, options: LoadOptions = {}): Promise<LoadedWeights> {
    this.#check();
    checkOptions("load", options, ["strict", "check"]);
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
   * Writes all that training depends on to a safetensors file: parameters, running values, the optimizer's state, moving
   * averages, counters, the position of the schedule and in the data, and the loss scale. An existing file is replaced when
   * the new one is complete.
   *
   * @throws {InputError} if the file cannot be written
   */
  async saveCheckpoint(file: string): Promise<void> {
    this.#check();
    await writeCheckpoint(file, this.#session.state, this.#config.optimizer?.kind ?? null, this.#feed.drawn);
  }

  /**
   * Restores a training from a file of {@linkcode Trainer.saveCheckpoint}, so that the next steps are the same, bit for bit,
   * as without the interruption. Settings such as the learning rate are those of this scenario.
   *
   * @throws {InputError} if the file is damaged or of another model or optimizer; nothing is changed then
   */
  async loadCheckpoint(file: string): Promise<void> {
    this.#check();
    const { accumulate } = this.#session.executor.plan;
    const { batches, drawn } = readCheckpoint(
      file,
      this.#session.state,
      this.#config.optimizer?.kind ?? null,
      accumulate,
    );
    await this.#feed.continueAfter(drawn);
    await this.#device.settle();
    this.#steps = batches / accumulate;
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
    return await inferSamples(this.#session, this.#device, input);
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
    await this.#feed.close();
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
    this.#feed.pause(); // Its workers would slow down kernels on a software adapter
    try {
      if (this.#steps < this.#config.compile.autotune!.stop) return await this.#tuning.before(this.#steps);
      const { compiled, outcome } = await this.#tuning.finish();
      this.#slots.free(); // No value in a slot outlives a step
      await this.#session.replan(compiled);
      await this.#device.settle();
      this.#tuned = outcome;
    } finally {
      this.#feed.resume();
    }
  }

  #submit(): void {
    const encoder = this.#device.gpu.createCommandEncoder({ label: `step ${this.#steps}` });
    this.#session.executor.encode(encoder);
    this.#device.submit(encoder);
  }
}
