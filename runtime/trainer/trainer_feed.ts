import { classAxis } from "../../ops/cross_entropy.ts";
import { loaderLayout } from "../compile/variant.ts";
import type { BatchTensors } from "../data/shared.ts";
import { InputError } from "../core/errors.ts";
import type { DatasetDescription } from "../data/describe.ts";
import { createLoader } from "../data/loader/create_loader.ts";
import type { Loader } from "../data/loader/loader.ts";
import { takeStep } from "./feed/feed.ts";
import { comparesClasses, ignoredClass } from "../nn/losses.ts";
import { recordCopy, uploadOf } from "../record/copies.ts";
import type { Recorder } from "../record/recorder.ts";
import type { Config } from "../scenario/config.ts";
import { stepBatches, type TrainerBatch } from "./host_batch.ts";
import type { Session } from "./session.ts";

/** Uploads the batches of a trainer: those of the scenario's data, whose loader starts with the first, or the caller's. */
export class TrainerFeed {
  readonly #config: Config;
  readonly #dataset: DatasetDescription;
  readonly #session: Session;
  #loader: Loader | null = null;
  #drawn = 0;

  constructor(config: Config, dataset: DatasetDescription, session: Session) {
    this.#config = config;
    this.#dataset = dataset;
    this.#session = session;
  }

  /** Uploads the batches of the next step of the scenario's data. Returns the time to take them from the loader, in ms. */
  async next(recorder: Recorder | null): Promise<number> {
    const { loader, data, seed } = this.#config;
    this.#loader ??= await createLoader(data, {
      ...loader,
      seed,
      startBatch: this.#drawn,
      split: "train",
      layout: loaderLayout(this.#dataset, this.#config),
    });
    this.#loader.trace(recorder !== null);
    const { accumulate } = this.#session.executor.plan;
    const upload = (tensors: BatchTensors, n: number) => this.#session.upload(tensors, n);
    const { readerCost } = await takeStep(this.#loader, recorder, accumulate, upload);
    this.#drawn += accumulate;
    return readerCost;
  }

  /** Number of batches taken from the scenario's data. */
  get drawn(): number {
    return this.#drawn;
  }

  /** Continues the scenario's data after its first `drawn` batches. */
  async continueAfter(drawn: number): Promise<void> {
    await this.close();
    this.#loader = null;
    this.#drawn = drawn;
  }

  /**
   * Uploads a batch of the caller.
   *
   * @throws {InputError} if the data set is on the device, or the batch does not fit the model or its labels
   */
  take(batch: TrainerBatch, recorder: Recorder | null): void {
    const { accumulate, inputs, output } = this.#session.executor.plan;
    if (this.#dataset.device !== undefined) {
      throw new InputError(
        "step: data.placement is device, so batches are the data set's own; call step() without a batch, or use " +
          'placement "host"',
      );
    }
    const batches = stepBatches(batch, inputs, accumulate);
    for (const { target } of batches) {
      if (target instanceof Int32Array && comparesClasses(this.#config.loss)) {
        checkLabels(target, output.shape[classAxis(output)]!, ignoredClass(this.#config.loss));
      }
    }
    const start = performance.now();
    const uploads = batches.flatMap((tensors, n) => this.#session.upload(tensors, n));
    const end = performance.now();
    recorder?.span("main", "let data", start, end);
    for (const { name, start, end } of uploads) recorder?.span("main", uploadOf(name), start, end);
    const bytes = batches.flatMap((tensors) => Object.values(tensors)).reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    );
    recordCopy(recorder, "batch", start, end, bytes);
  }

  /** Pauses the loader, if there is one. */
  pause(): void {
    this.#loader?.pause();
  }

  resume(): void {
    this.#loader?.resume();
  }

  async close(): Promise<void> {
    await this.#loader?.close();
  }
}

function checkLabels(labels: Int32Array, classes: number, ignored: number | null): void {
  const wrong = labels.findIndex((label) => label !== ignored && (label < 0 || label >= classes));
  if (wrong < 0) return;
  throw new InputError(
    `step: target[${wrong}] is ${labels[wrong]}, expected a class from 0 to ${classes - 1}; the model returns ` +
      `${classes} logits for each target` + (ignored === null ? "" : `, and targets of ${ignored} are ignored`),
  );
}
