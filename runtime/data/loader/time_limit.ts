import { InputError } from "../../core/errors.ts";
import { reasonOf } from "../../core/shown.ts";
import { within } from "../../core/within.ts";
import { allocateFields, type FieldArrays, type FieldSizes } from "../fields.ts";
import { readerOf, whereOf } from "../readers/readers.ts";
import { sampleFields, SampleMaker } from "../samples.ts";
import type { StageClock } from "../stage_clock.ts";
import type { BatchPlan } from "./batch_plan.ts";
import { FatalSampleError, seconds } from "./sample_error.ts";

/** Work that may fail outside of itself. */
interface Failing {
  /** Returns a promise that is rejected as soon as the work has failed. */
  failed(): Promise<never>;
}

/**
 * Makes samples within a time limit. A late answer must not overwrite the sample that has replaced it. So a source that
 * returns promises, or is a module that may, or whose thread may be replaced, writes to separate memory, from which
 * samples are copied; after a timeout that memory is abandoned. Other sources write directly to the batch.
 */
export class TimeLimitedSamples {
  readonly #plan: BatchPlan;
  readonly #fields: FieldSizes;
  #maker: SampleMaker;
  /** Makers that were late during the current batch. */
  readonly #abandoned: SampleMaker[] = [];
  /** Separate memory; null to write to the batch. The first sample never does, as its source is unknown yet. */
  #separate: FieldArrays | null;
  /** True if the source has returned a promise, or may. */
  #waits: boolean;
  readonly #guard: (() => void) | null;

  private constructor(plan: BatchPlan, maker: SampleMaker, guard: (() => void) | null) {
    this.#plan = plan;
    this.#guard = plan.onError === "skip" ? guard : null;
    this.#waits = readerOf(plan.source).userCode || this.#guard !== null;
    this.#maker = maker;
    this.#fields = sampleFields(plan);
    this.#separate = allocateFields(this.#fields);
  }

  /**
   * @param guard throws if the batch must not be written any more, since another thread has taken over
   * @throws {InputError} if the source cannot be opened, or a module does not finish loading in time
   */
  static async open(plan: BatchPlan, guard: (() => void) | null): Promise<TimeLimitedSamples> {
    return new TimeLimitedSamples(plan, await openInTime(plan), guard);
  }

  get stages(): readonly string[] {
    return this.#maker.stages;
  }

  /** Problem with the sample made last, which leaves it whole; null without one. */
  get warning(): string | null {
    return this.#maker.warning;
  }

  seek(epoch: number, order: Uint32Array | null, from: number): void {
    this.#maker.seek(epoch, order, from);
  }

  /**
   * Makes a sample at a place of a batch. Returns a promise only if the source does.
   *
   * @param call call of user code, which may fail outside of itself; null without user code
   * @throws {InputError} if the sample is invalid or late
   */
  make(
    sample: number,
    epoch: number,
    batch: FieldArrays,
    place: number,
    clock: StageClock | null,
    call: Failing | null,
  ): void | Promise<void> {
    const separate = this.#separate;
    const pending = this.#maker.make(sample, epoch, separate ?? batch, separate === null ? place : 0, clock);
    if (pending === undefined) {
      if (separate !== null) this.#copy(separate, batch, place);
      if (!this.#waits) this.#separate = null;
      return;
    }
    this.#waits = true;
    this.#separate ??= allocateFields(this.#fields);
    return this.#await(pending, call, separate, batch, place);
  }

  /** Ends a batch that user code has made; see `Source.endBatch`. */
  endBatch(invalid: ReadonlySet<number>): void {
    for (const maker of [...this.#abandoned.splice(0), this.#maker]) maker.endBatch(invalid);
  }

  close(): void {
    this.#maker.close();
  }

  async #await(
    pending: Promise<void>,
    call: Failing | null,
    separate: FieldArrays | null,
    batch: FieldArrays,
    place: number,
  ): Promise<void> {
    let answered = false;
    const answer = pending.finally(() => answered = true);
    try {
      const { timeout } = this.#plan;
      await within(
        call === null ? answer : Promise.race([answer, call.failed()]),
        timeout,
        () => new InputError(`the source has not answered in ${seconds(timeout)} (loader.timeout=${timeout})`),
      );
    } catch (error) {
      if (answered) throw error;
      // The source had always answered synchronously before, and can still write to the batch
      if (separate === null) throw new FatalSampleError(reasonOf(error));
      await this.#abandon();
      throw error;
    }
    if (separate !== null) this.#copy(separate, batch, place);
  }

  /** Abandons a source that may still answer, with its memory, and opens another. */
  async #abandon(): Promise<void> {
    const late = this.#maker;
    this.#separate = allocateFields(this.#fields);
    this.#maker = await openInTime(this.#plan);
    late.close();
    this.#abandoned.push(late);
  }

  #copy(from: FieldArrays, batch: FieldArrays, place: number): void {
    this.#guard?.();
    for (const name in this.#fields) batch[name]!.set(from[name]!, place * this.#fields[name]!.length);
  }
}

/**
 * Imports the modules of the data set and opens its source.
 *
 * @throws {InputError} if a top-level await does not settle in time, or the source cannot be opened
 */
function openInTime(plan: BatchPlan): Promise<SampleMaker> {
  const { timeout, openTimeout } = plan;
  return within(SampleMaker.open(plan), openTimeout, () => {
    const what = readerOf(plan.source).userCode ? whereOf(plan.source, 0) : "The script";
    return new InputError(
      `${what} has not finished loading in ${seconds(openTimeout)} (loader.timeout=${timeout}): ` +
        "check its top-level awaits, or raise loader.timeout",
    );
  });
}
