/**
 * Makes batches: the same ones on any thread, a function of the plan and the batch's index alone.
 *
 * @module
 */
import { InputError } from "../../core/errors.ts";
import { pcg4d } from "../../core/random.ts";
import type { FieldArrays } from "../fields.ts";
import { streamKey } from "../keys.ts";
import { whereOf } from "../readers/readers.ts";
import { sleep } from "../sleep.ts";
import { batchCount, batchesPerEpoch, type BatchPlan } from "./batch_plan.ts";
import { EpochOrder } from "./epoch_order.ts";
import { PatientSamples } from "./patient_samples.ts";
import { FatalSampleError, LostSampleError, RetiredError, sampleError } from "./sample_error.ts";
import { type SampleClocks, StageMeter } from "./stage_meter.ts";

/** Samples that may be wrong in a row, where wrong ones are replaced. */
const MOST_WRONG = 16;

/** What the thread that makes batches asks of the one that consumes them. */
export interface MakerHooks {
  /** Is told the sample that comes next; returns for how many milliseconds it held the work up on purpose. */
  beforeSample(sample: number): number;
  /** Whether a thread was lost at the sample. */
  lost(sample: number): boolean;
  /** Throws where another thread has taken the place of this one, whose batch must not be written any more. */
  stillNeeded(): void;
}

/** A batch in the making. */
interface Job {
  readonly index: number;
  readonly epoch: number;
  /** Position of its first sample in the epoch, and how many it has. */
  readonly begin: number;
  readonly count: number;
  readonly order: Uint32Array | null;
  readonly memory: FieldArrays;
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
  readonly #hooks: MakerHooks | null;

  private constructor(plan: BatchPlan, samples: PatientSamples, hooks: MakerHooks | null) {
    this.#plan = plan;
    this.#hooks = hooks;
    this.#samples = samples;
    this.#order = new EpochOrder(plan);
    this.#replaceKey = streamKey(plan.seed, "data/replace");
    this.meter = new StageMeter(samples.stages);
  }

  /**
   * @param hooks of a thread that makes batches for another one; null where it makes them for itself
   * @throws {InputError} if the source cannot be opened
   */
  static async open(plan: BatchPlan, hooks: MakerHooks | null = null): Promise<BatchMaker> {
    const guard = hooks === null ? null : () => hooks.stillNeeded();
    return new BatchMaker(plan, await PatientSamples.open(plan, guard), hooks);
  }

  /**
   * Makes batch `index` (counted from the start of epoch 0). The last batch of an epoch is filled up by repeating its own
   * samples in turn. Returns a promise only where the source does.
   *
   * @throws {InputError} if a sample is invalid
   */
  make(index: number, memory: FieldArrays): void | Promise<void> {
    this.meter.begin();
    const perEpoch = batchesPerEpoch(this.#plan);
    const epoch = Math.floor(index / perEpoch);
    const begin = (index % perEpoch) * this.#plan.batchSize;
    const order = this.#order.of(epoch);
    this.skipped = 0;
    this.#samples.seek(epoch, order, begin);
    return this.#from(0, { index, epoch, begin, count: batchCount(this.#plan, index), order, memory });
  }

  close(): void {
    this.#samples.close();
  }

  /** Makes the samples from place `i` on; stops at the first promise, and goes on when it is settled. */
  #from(i: number, job: Job): void | Promise<void> {
    const { begin, count, order } = job;
    for (; i < this.#plan.batchSize; i++) {
      const position = begin + i % count;
      const sample = order === null ? position : order[position]!;
      const pending = this.#sample(job, i, sample, this.meter.sample(sample), 1);
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
    const parked = this.#hooks?.beforeSample(sample) ?? 0;
    if (parked > 0) this.meter.leaveOut(parked);
    clocks?.collate.lap(0);
    try {
      if (this.#hooks?.lost(sample)) throw new LostSampleError("a thread was lost at it before");
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
    if (error instanceof RetiredError) throw error;
    const told = sampleError(error, sample, job.index, whereOf(this.#plan.source, sample));
    if (this.#plan.onError === "fail" || error instanceof FatalSampleError) throw told;
    this.skipped++;
    if (!(error instanceof LostSampleError)) this.skipReason ??= told.message;
    if (attempt === MOST_WRONG) throw new InputError(`${MOST_WRONG} samples in a row are wrong. ${told.message}`);
    const other = pcg4d(this.#replaceKey, job.epoch, sample, attempt)[0] % this.#plan.source.length;
    return this.#sample(job, i, other, clocks, attempt + 1);
  }
}
