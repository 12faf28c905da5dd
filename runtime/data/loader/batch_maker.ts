/**
 * Makes batches: the same ones on any thread, a function of the plan and the batch's index alone.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { pcg4d } from "../../core/random.ts";
import { streamKey } from "../keys.ts";
import { sleep } from "../sleep.ts";
import { batchCount, batchesPerEpoch, type BatchMemory, type BatchPlan } from "./batch_plan.ts";
import { EpochOrder } from "./epoch_order.ts";
import { PatientSamples } from "./patient_samples.ts";
import { FatalSampleError, sampleError } from "./sample_error.ts";
import { type SampleClocks, StageMeter } from "./stage_meter.ts";

/** Samples that may be wrong in a row, where wrong ones are replaced. */
const MOST_WRONG = 16;

/** Is told the sample that comes next; returns for how many milliseconds it held the work up on purpose. */
export type BeforeSample = (sample: number) => number;

/** A batch in the making. */
interface Job {
  readonly index: number;
  readonly epoch: number;
  /** Position of its first sample in the epoch, and how many it has. */
  readonly begin: number;
  readonly count: number;
  readonly order: Uint32Array | null;
  readonly memory: BatchMemory;
  readonly beforeSample: BeforeSample | undefined;
}

/** Makes batches on one thread. */
export class BatchMaker {
  /** Times the stages, and names them. */
  readonly meter: StageMeter;
  /** Samples of the last batch that were replaced. */
  skipped = 0;
  /** Why a sample was replaced for the first time; null where none was. */
  skipReason: string | null = null;
  readonly #plan: BatchPlan;
  readonly #samples: PatientSamples;
  readonly #order: EpochOrder;
  readonly #replaceKey: number;

  private constructor(plan: BatchPlan, samples: PatientSamples) {
    this.#plan = plan;
    this.#samples = samples;
    this.#order = new EpochOrder(plan);
    this.#replaceKey = streamKey(plan.seed, "data/replace");
    this.meter = new StageMeter(samples.stages);
  }

  /**
   * @throws {InputError} if the source cannot be opened
   */
  static async open(plan: BatchPlan): Promise<BatchMaker> {
    return new BatchMaker(plan, await PatientSamples.open(plan));
  }

  /**
   * Makes batch `index` (counted from the start of epoch 0). The last batch of an epoch is filled up by repeating its own
   * samples in turn. `beforeSample` is called before each sample, and before each that takes the place of a wrong one.
   * Returns a promise only where the source does.
   *
   * @throws {InputError} if a sample is invalid
   */
  make(index: number, memory: BatchMemory, beforeSample?: BeforeSample): void | Promise<void> {
    const perEpoch = batchesPerEpoch(this.#plan);
    const epoch = Math.floor(index / perEpoch);
    const begin = (index % perEpoch) * this.#plan.batchSize;
    const order = this.#order.of(epoch);
    this.skipped = 0;
    this.meter.begin();
    this.#samples.seek(epoch, order, begin);
    return this.#from(0, { index, epoch, begin, count: batchCount(this.#plan, index), order, memory, beforeSample });
  }

  close(): void {
    this.#samples.close();
  }

  /** Makes the samples from place `i` on; stops at the first promise, and goes on when it is settled. */
  #from(i: number, job: Job): void | Promise<void> {
    const { begin, count, order } = job;
    for (; i < this.#plan.batchSize; i++) {
      const clocks = this.meter.sample();
      const position = begin + i % count;
      const pending = this.#sample(job, i, order === null ? position : order[position]!, clocks, 1);
      if (pending === undefined) continue;
      const next = i + 1;
      return pending.then(() => this.#from(next, job));
    }
    this.#finish();
  }

  #finish(): void {
    const { batchSize, delay } = this.#plan;
    const begin = performance.now();
    if (delay.collate > 0) sleep(delay.collate);
    this.meter.end(batchSize, performance.now() - begin);
  }

  /** Makes a sample at place `i`: the `attempt`-th for this place. */
  #sample(job: Job, i: number, sample: number, clocks: SampleClocks | null, attempt: number): void | Promise<void> {
    const parked = job.beforeSample?.(sample) ?? 0;
    if (parked > 0) this.meter.leaveOut(parked);
    clocks?.collate.lap(0);
    try {
      const pending = this.#samples.make(sample, job.epoch, job.memory, i, clocks?.sample ?? null);
      return pending?.catch((error) => this.#replace(job, i, sample, clocks, attempt, error));
    } catch (error) {
      return this.#replace(job, i, sample, clocks, attempt, error);
    }
  }

  /** Another sample, drawn by (seed, epoch, sample), in the place of one that is wrong. */
  #replace(
    job: Job,
    i: number,
    sample: number,
    clocks: SampleClocks | null,
    attempt: number,
    error: unknown,
  ): void | Promise<void> {
    const told = sampleError(error, sample, job.index);
    if (this.#plan.onError === "fail" || error instanceof FatalSampleError) throw told;
    this.skipped++;
    this.skipReason ??= told.message;
    if (attempt === MOST_WRONG) throw new InputError(`${MOST_WRONG} samples in a row are wrong. ${told.message}`);
    const other = pcg4d(this.#replaceKey, job.epoch, sample, attempt)[0] % this.#plan.source.length;
    return this.#sample(job, i, other, clocks, attempt + 1);
  }
}
