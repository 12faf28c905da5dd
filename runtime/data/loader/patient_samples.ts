import { readerOf } from "../readers/readers.ts";
import type { StageClock } from "../stage_clock.ts";
import { allocateFields, type FieldArrays, type FieldSizes } from "../fields.ts";
import type { BatchPlan } from "./batch_plan.ts";
import { FatalSampleError, LateError, within } from "./sample_error.ts";
import { sampleFields, SampleMaker } from "../samples.ts";

/**
 * Samples of a source that may make one wait, though not for ever. An answer that comes after its time was up must not
 * be written over the sample that took its place: a source that answers with promises, or is a module that may do so,
 * or whose thread may be replaced, writes to memory of its own, which is given up with it, and from which samples are
 * copied. Others write straight to their place in the batch.
 */
export class PatientSamples {
  readonly #plan: BatchPlan;
  readonly #fields: FieldSizes;
  #maker: SampleMaker;
  /** Null where samples are written in place; the first one never is, since nobody knows its source yet. */
  #apart: FieldArrays | null;
  /** It has answered with a promise, or may. */
  #waits: boolean;
  readonly #guard: (() => void) | null;

  private constructor(plan: BatchPlan, maker: SampleMaker, guard: (() => void) | null) {
    this.#plan = plan;
    this.#guard = plan.onError === "skip" ? guard : null;
    this.#waits = readerOf(plan.source).userCode || this.#guard !== null;
    this.#maker = maker;
    this.#fields = sampleFields(plan);
    this.#apart = allocateFields(this.#fields);
  }

  /**
   * @param guard throws where the batch must not be written any more, because the sample took so long that another
   *   thread was told to make it
   * @throws {InputError} if the source cannot be opened
   */
  static async open(plan: BatchPlan, guard: (() => void) | null): Promise<PatientSamples> {
    return new PatientSamples(plan, await SampleMaker.open(plan), guard);
  }

  get stages(): readonly string[] {
    return this.#maker.stages;
  }

  seek(epoch: number, order: Uint32Array | null, from: number): void {
    this.#maker.seek(epoch, order, from);
  }

  /**
   * Makes a sample at a place of a batch. Returns a promise only where the source does.
   *
   * @throws {InputError} if the sample is invalid, or not there in time
   */
  make(
    sample: number,
    epoch: number,
    batch: FieldArrays,
    place: number,
    clock: StageClock | null,
  ): void | Promise<void> {
    const apart = this.#apart;
    const pending = this.#maker.make(sample, epoch, apart ?? batch, apart === null ? place : 0, clock);
    if (pending === undefined) {
      if (apart !== null) this.#copy(apart, batch, place);
      if (!this.#waits) this.#apart = null;
      return;
    }
    this.#waits = true;
    this.#apart ??= allocateFields(this.#fields);
    return this.#await(pending, apart, batch, place);
  }

  close(): void {
    this.#maker.close();
  }

  async #await(
    pending: Promise<void>,
    apart: FieldArrays | null,
    batch: FieldArrays,
    place: number,
  ): Promise<void> {
    try {
      await within(pending, this.#plan.timeout);
    } catch (error) {
      if (!(error instanceof LateError)) throw error;
      // The source was taken for one that does not make wait, and can still write to the batch.
      if (apart === null) throw new FatalSampleError(error.message);
      await this.#giveUp();
      throw error;
    }
    if (apart !== null) this.#copy(apart, batch, place);
  }

  /** Leaves the source that has not answered to itself, and opens another one. */
  async #giveUp(): Promise<void> {
    const late = this.#maker;
    this.#apart = allocateFields(this.#fields);
    this.#maker = await SampleMaker.open(this.#plan);
    late.close();
  }

  #copy(from: FieldArrays, batch: FieldArrays, place: number): void {
    this.#guard?.();
    for (const name in this.#fields) batch[name]!.set(from[name]!, place * this.#fields[name]!.length);
  }
}
