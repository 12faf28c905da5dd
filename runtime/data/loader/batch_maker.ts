/**
 * Makes batches. A batch depends on the plan and its index only, so every thread makes the same.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { pcg4d, streamKey } from "../../core/random.ts";
import type { FieldArrays } from "../fields.ts";
import { whereOf } from "../readers/readers.ts";
import { runsUserCode } from "../samples.ts";
import { sleep } from "../sleep.ts";
import { batchBegin, batchCount, batchesPerEpoch, type BatchPlan } from "./batch_plan.ts";
import { EpochOrder } from "./epoch_order.ts";
import { FatalSampleError, LostSampleError, RetiredError, sampleError } from "./sample_error.ts";
import { type SampleClocks, StageMeter } from "./stage_meter.ts";
import type { StrayErrors } from "./stray_errors.ts";
import { TimeLimitedSamples } from "./time_limit.ts";

/** Attempts to replace an invalid sample before the batch fails. */
const MAX_ATTEMPTS = 16;

/** Hooks of a worker: what it exchanges with the consumer between samples. */
export interface MakerHooks {
  /** Name of the worker, for messages. */
  readonly thread: string;
  /** Called before each sample; returns the milliseconds of an intended pause. */
  beforeSample(sample: number): number;
  /** Returns true if a thread was lost at the sample. */
  lost(sample: number): boolean;
  /** Throws if another thread has replaced this one, so that the batch must not be written any more. */
  stillNeeded(): void;
}

/** Batch being made. */
interface Job {
  readonly index: number;
  readonly epoch: number;
  /** Position of its first sample in the epoch. */
  readonly begin: number;
  /** Number of its samples, without repeated ones. */
  readonly count: number;
  readonly order: Uint32Array | null;
  readonly memory: FieldArrays;
}

/** Makes batches on one thread. */
export class BatchMaker {
  /** Times the stages, and names them. */
  readonly meter: StageMeter;
  /** Number of replaced samples in the last batch. */
  skipped = 0;
  /** Reason of the first replacement, or null. */
  skipReason: string | null = null;
  /** Number of samples with a warning in the last batch. */
  warned = 0;
  /** First warning, or null. */
  warning: string | null = null;
  readonly #plan: BatchPlan;
  readonly #samples: TimeLimitedSamples;
  readonly #order: EpochOrder;
  readonly #replaceKey: number;
  readonly #hooks: MakerHooks | null;
  /** Collects errors that user code leaves behind; null without user code. */
  readonly #strays: StrayErrors | null;

  private constructor(
    plan: BatchPlan,
    samples: TimeLimitedSamples,
    hooks: MakerHooks | null,
    strays: StrayErrors | null,
  ) {
    this.#plan = plan;
    this.#hooks = hooks;
    this.#strays = strays;
    this.#samples = samples;
    this.#order = new EpochOrder(plan);
    this.#replaceKey = streamKey(plan.seed, "data/replace");
    this.meter = new StageMeter(samples.stages);
  }

  /**
   * @param hooks hooks of a worker; null on the main thread
   * @throws {InputError} if the source cannot be opened
   */
  static async open(plan: BatchPlan, hooks: MakerHooks | null = null): Promise<BatchMaker> {
    const guard = hooks === null ? null : () => hooks.stillNeeded();
    let strays: StrayErrors | null = null;
    if (runsUserCode(plan)) {
      const { StrayErrors } = await import("./stray_errors.ts");
      strays = new StrayErrors(plan, hooks?.thread ?? "main thread");
    }
    return new BatchMaker(plan, await TimeLimitedSamples.open(plan, guard), hooks, strays);
  }

  /**
   * Makes batch `index`, counted from the start of epoch 0. A short last batch of an epoch repeats its own samples.
   * Returns a promise only if the source does, or user code makes samples.
   *
   * @throws {InputError} if a sample is invalid, or user code has left an error behind
   */
  make(index: number, memory: FieldArrays): void | Promise<void> {
    this.meter.begin();
    const perEpoch = batchesPerEpoch(this.#plan);
    const epoch = Math.floor(index / perEpoch);
    const begin = batchBegin(this.#plan, index);
    const order = this.#order.of(epoch);
    this.skipped = 0;
    this.warned = 0;
    this.#samples.seek(epoch, order, begin);
    const job = { index, epoch, begin, count: batchCount(this.#plan, index), order, memory };
    const made = this.#from(0, job);
    return this.#strays === null ? made : this.#settle(made, job, this.#strays);
  }

  close(): void {
    this.#samples.close();
    this.#strays?.close();
  }

  /** Waits for a batch, and replaces its samples that have left an error behind. */
  async #settle(made: void | Promise<void>, job: Job, strays: StrayErrors): Promise<void> {
    await made;
    const invalid = new Set<number>();
    for (let found = await strays.settle(); found.length > 0; found = await strays.settle()) {
      for (const { call: { sample, batch, place, attempt }, error } of found) {
        invalid.add(sample);
        if (batch === job.index) await this.#replace(job, place, sample, null, attempt, error);
        else this.#skip(sample, batch, error); // that batch has left the loader
      }
    }
    this.#samples.endBatch(invalid);
  }

  /** Makes the samples from place `i` on; after a promise, continues once it is settled. */
  #from(i: number, job: Job): void | Promise<void> {
    const { begin, count, order } = job;
    for (; i < this.#plan.batchSize; i++) {
      const position = begin + i % count;
      const sample = order === null ? position : order[position]!;
      const pending = this.#sample(job, i, sample, this.meter.sample(sample), 1);
      if (pending === undefined) {
        this.#noteWarning();
        continue;
      }
      const next = i + 1;
      return pending.then(() => {
        this.#noteWarning();
        return this.#from(next, job);
      });
    }
    this.#finish();
  }

  /** Counts the warning of the sample made last. */
  #noteWarning(): void {
    const { warning } = this.#samples;
    if (warning === null) return;
    this.warned++;
    this.warning ??= warning;
  }

  #finish(): void {
    const { batchSize, delay } = this.#plan;
    const begin = performance.now();
    if (delay.collate > 0) sleep(delay.collate);
    this.meter.end(batchSize, performance.now() - begin);
  }

  /** Makes a sample at place `i`; `attempt` counts the samples tried there. */
  #sample(job: Job, i: number, sample: number, clocks: SampleClocks | null, attempt: number): void | Promise<void> {
    const parked = this.#hooks?.beforeSample(sample) ?? 0;
    if (parked > 0) this.meter.leaveOut(parked);
    clocks?.collate.lap(0);
    try {
      if (this.#hooks?.lost(sample)) throw new LostSampleError("a thread was lost at this sample before");
      const clock = clocks?.sample ?? null;
      const call = this.#strays?.call(sample, job.index, i, attempt) ?? null;
      const make = () => this.#samples.make(sample, job.epoch, job.memory, i, clock, call);
      const pending = call === null ? make() : call.run(make);
      return pending?.catch((error) => this.#replace(job, i, sample, clocks, attempt, error));
    } catch (error) {
      return this.#replace(job, i, sample, clocks, attempt, error);
    }
  }

  /** Replaces an invalid sample by another one, drawn by (seed, epoch, sample). */
  #replace(
    job: Job,
    i: number,
    sample: number,
    clocks: SampleClocks | null,
    attempt: number,
    error: unknown,
  ): void | Promise<void> {
    if (error instanceof RetiredError) throw error;
    const described = this.#skip(sample, job.index, error);
    if (attempt === MAX_ATTEMPTS) {
      throw new InputError(`${MAX_ATTEMPTS} samples in a row are invalid. ${described.message}`);
    }
    const other = pcg4d(this.#replaceKey, job.epoch, sample, attempt)[0] % this.#plan.source.length;
    return this.#sample(job, i, other, clocks, attempt + 1);
  }

  /**
   * Counts an invalid sample, and returns its error.
   *
   * @throws {InputError} the error, if samples must not be skipped
   */
  #skip(sample: number, batch: number, error: unknown): InputError {
    const described = sampleError(error, sample, batch, whereOf(this.#plan.source, sample));
    if (this.#plan.onError === "fail" || error instanceof FatalSampleError) throw described;
    this.skipped++;
    if (!(error instanceof LostSampleError)) this.skipReason ??= described.message;
    return described;
  }
}
