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
  type Note,
  OPEN,
  PAUSED,
  PAUSED_MS,
  type RingMemory,
  RingView,
  SAMPLE,
  STAGES_BYTES,
  TRACING,
} from "./ring_memory.ts";

/** Batch that a worker has claimed. */
export interface Claim {
  /** Number in the ring. */
  readonly k: number;
  /** Milliseconds that the worker waited for a free slot, without pauses of the ring. */
  readonly slotWaitMs: number;
}

/** Worker's view of the ring. Writes have no effect once another thread has replaced it. */
export class WorkerRing {
  readonly #view: RingView;
  readonly #worker: number;
  readonly #generation: number;

  /**
   * @param worker number of the worker
   * @param generation number of its thread
   */
  constructor(memory: RingMemory, worker: number, generation: number) {
    this.#view = new RingView(memory);
    this.#worker = worker;
    this.#generation = generation;
  }

  tensors(k: number): FieldArrays {
    return this.#view.tensors(k);
  }

  /** True if another thread has replaced this one. */
  get retired(): boolean {
    return this.#load(GENERATION) !== this.#generation;
  }

  /** True if the laps of batches are to be traced. */
  get tracing(): boolean {
    return this.#view.load(TRACING) === 1;
  }

  /**
   * Claims the next batch, or the one that a lost thread has left. Parks until its slot is free and the ring is not paused.
   * Returns null if the ring is closed.
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

  /** Parks while the ring is paused; returns the milliseconds parked, or null if the ring is closed. */
  pass(): number | null {
    let gate = this.#view.load(GATE);
    if (gate === OPEN) return 0;
    const begin = performance.now();
    for (; gate === PAUSED; gate = this.#view.load(GATE)) Atomics.wait(this.#view.control, GATE, PAUSED);
    return gate === OPEN ? performance.now() - begin : null;
  }

  /** Gives a sign of life before a sample. */
  beat(sample: number): void {
    this.#store(SAMPLE, sample);
    Atomics.add(this.#view.control, this.#view.workerWord(this.#worker, BEAT), 1);
  }

  /** Returns true if a thread was lost at the sample. */
  lost(sample: number): boolean {
    const count = this.#view.load(LOST);
    for (let n = 0; n < count; n++) if (this.#view.load(this.#view.lostWord(n)) === sample) return true;
    return false;
  }

  /** Reports the names of the stages, which are the same for all workers. */
  nameStages(names: string): void {
    this.#view.writeText(this.#view.stagesText, STAGES_BYTES, names);
  }

  /** Leaves a note for the consumer; keeps the first of each kind. */
  note(note: Note, content: string): void {
    this.#view.writeNote(note, this.#worker, content);
  }

  /** Publishes batch k with its measurements. */
  publish(k: number, record: BatchRecord, laps: Float64Array | null = null): void {
    if (this.retired) return;
    writeRecord(this.#view.recordWords(k), record);
    const to = this.#view.lapWords(k);
    if (laps === null) to[0] = 0;
    else to.set(laps);
    this.#fill(k);
  }

  /** Publishes the failure of batch k. */
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
