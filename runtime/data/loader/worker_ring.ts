import type { FieldArrays } from "../fields.ts";
import { type BatchRecord, writeRecord } from "./batch_record.ts";
import {
  BEAT,
  CLAIM,
  CLOSED,
  FAILED,
  GATE,
  GENERATION,
  LOST,
  MAKER,
  MESSAGE_BYTES,
  NEXT,
  OPEN,
  PAUSED,
  PAUSED_MS,
  type RingMemory,
  RingView,
  SAMPLE,
  SKIP_BYTES,
  STAGES_BYTES,
  TRACING,
} from "./ring_memory.ts";

/** A batch that a worker is to make. */
export interface Claim {
  /** Its number in the ring. */
  readonly k: number;
  /** How long the worker waited for its slot to be free, pauses of the ring left out: milliseconds. */
  readonly slotWaitMs: number;
}

/** A worker's view of the ring. Where another thread has taken its place, nothing that it does has an effect. */
export class WorkerRing {
  readonly #view: RingView;
  readonly #worker: number;
  readonly #generation: number;

  /**
   * @param worker the worker's number
   * @param generation which thread of that number this is
   */
  constructor(memory: RingMemory, worker: number, generation: number) {
    this.#view = new RingView(memory);
    this.#worker = worker;
    this.#generation = generation;
  }

  tensors(k: number): FieldArrays {
    return this.#view.tensors(k);
  }

  /** Whether another thread has taken this one's place. */
  get retired(): boolean {
    return this.#load(GENERATION) !== this.#generation;
  }

  /** Whether batches are to say what each stretch of their making took. */
  get tracing(): boolean {
    return this.#view.load(TRACING) === 1;
  }

  /**
   * Takes the next batch, or the one that the thread before has left; parks until its slot is free and the ring is not
   * paused. null when the ring is closed.
   */
  claim(left: number | null = null): Claim | null {
    if (this.pass() === null || this.retired) return null;
    const { control } = this.#view;
    const k = left ?? Atomics.add(control, NEXT, 1);
    this.#store(CLAIM, k);
    const turn = this.#view.turnWord(k);
    const free = this.#view.freeTurn(k);
    const begin = performance.now();
    const paused = this.#view.load(PAUSED_MS);
    for (;;) {
      const now = this.#view.load(turn);
      if (now === free) break;
      if (this.#view.load(GATE) === CLOSED || this.retired) return null;
      Atomics.wait(control, turn, now);
    }
    if (this.pass() === null) return null;
    const waited = performance.now() - begin - (this.#view.load(PAUSED_MS) - paused);
    return { k, slotWaitMs: Math.max(0, waited) };
  }

  /** Parks while the ring is paused; returns for how long, in milliseconds, or null when the ring is closed. */
  pass(): number | null {
    let gate = this.#view.load(GATE);
    if (gate === OPEN) return 0;
    const begin = performance.now();
    for (; gate === PAUSED; gate = this.#view.load(GATE)) Atomics.wait(this.#view.control, GATE, PAUSED);
    return gate === OPEN ? performance.now() - begin : null;
  }

  /** A sign of life, before a sample. */
  beat(sample: number): void {
    this.#store(SAMPLE, sample);
    Atomics.add(this.#view.control, this.#view.workerWord(this.#worker, BEAT), 1);
  }

  /** Whether a thread was lost at the sample. */
  lost(sample: number): boolean {
    const count = this.#view.load(LOST);
    for (let n = 0; n < count; n++) if (this.#view.load(this.#view.lostWord(n)) === sample) return true;
    return false;
  }

  /** Says what the stages are called; all workers say the same. */
  nameStages(names: string): void {
    this.#view.writeText(this.#view.stagesText, STAGES_BYTES, names);
  }

  /** Says why the worker has skipped a sample; the first reason stays. */
  noteSkip(reason: string): void {
    const word = this.#view.workerWord(this.#worker, SKIP_BYTES);
    if (this.#view.load(word) === 0) this.#view.writeText(this.#view.skipText(this.#worker), word, reason);
  }

  /** Hands batch k over, with what its making took. */
  publish(k: number, record: BatchRecord, laps: Float64Array | null = null): void {
    if (this.retired) return;
    writeRecord(this.#view.recordWords(k), record);
    const to = this.#view.lapWords(k);
    if (laps === null) to[0] = 0;
    else to.set(laps);
    this.#fill(k);
  }

  /** Hands over why batch k cannot be made. */
  publishFailure(k: number, message: string): void {
    if (this.retired) return;
    const view = this.#view;
    view.writeText(view.failureText(this.#worker), view.workerWord(this.#worker, MESSAGE_BYTES), message);
    view.store(view.slotWord(k, FAILED), this.#worker + 1);
    this.#fill(k);
  }

  #fill(k: number): void {
    const turn = this.#view.turnWord(k);
    this.#store(SAMPLE, -1);
    this.#view.store(this.#view.slotWord(k, MAKER), this.#worker);
    this.#view.store(turn, this.#view.freeTurn(k) + 1);
    Atomics.notify(this.#view.control, turn);
  }

  #load(word: number): number {
    return this.#view.load(this.#view.workerWord(this.#worker, word));
  }

  #store(word: number, value: number): void {
    this.#view.store(this.#view.workerWord(this.#worker, word), value);
  }
}
