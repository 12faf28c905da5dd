/**
 * A ring of batches in shared memory. Batch k of the ring (counted from 0) lies in slot `k mod slots`. Each slot has a
 * turn: `2 r` says that it is free for the batch of round r = floor(k / slots), `2 r + 1` that this batch is in it. A
 * worker claims the next batch with one atomic addition, waits for its slot's turn, fills it and advances the turn; the
 * consumer takes the batches in order and advances it again. Nobody spins, and nothing is copied.
 *
 * A worker whose thread is gone, or does not answer, is replaced: its number gets another generation, and what its old
 * thread still does comes to nothing. This file is the consumer's side, `worker_ring.ts` the workers'.
 *
 * Closing changes every word that a worker may be parked on, because a thread that is parked outlives its termination
 * (Deno 2.9).
 *
 * @module
 */
import type { FieldArrays } from "../fields.ts";
import { type BatchRecord, readRecord } from "./batch_record.ts";
import { type Lap, readLaps } from "./lap_log.ts";
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
  MOST_LOST,
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

/** The consumer's view of the ring. */
export class Ring {
  readonly slots: number;
  readonly workers: number;
  readonly #view: RingView;
  #pausedAt = 0;

  constructor(memory: RingMemory) {
    this.#view = new RingView(memory);
    this.slots = this.#view.slots;
    this.workers = this.#view.workers;
  }

  /** The tensors of batch k: valid until its release. */
  tensors(k: number): FieldArrays {
    return this.#view.tensors(k);
  }

  /** Whether batch k, or its failure, is in its slot. */
  ready(k: number): boolean {
    return this.#turn(k) === this.#view.freeTurn(k) + 1;
  }

  /** Whether the batch that had the slot of batch k before has not been released. */
  held(k: number): boolean {
    return this.#turn(k) < this.#view.freeTurn(k);
  }

  /** Waits for batch k, at most `ms` milliseconds; blocks the thread. */
  wait(k: number, ms: number): boolean {
    Atomics.wait(this.#view.control, this.#view.turnWord(k), this.#view.freeTurn(k), ms);
    return this.ready(k);
  }

  /** Why batch k could not be made, and by whom; null where it was. */
  failure(k: number): { readonly worker: number; readonly message: string } | null {
    const view = this.#view;
    const worker = view.load(view.slotWord(k, FAILED)) - 1;
    if (worker < 0) return null;
    return { worker, message: view.readText(view.failureText(worker), view.workerWord(worker, MESSAGE_BYTES)) };
  }

  /** The worker that has filled the slot of batch k. */
  maker(k: number): number {
    return this.#view.load(this.#view.slotWord(k, MAKER));
  }

  /** What making batch k took: valid until its release. */
  record(k: number): BatchRecord {
    return readRecord(this.#view.recordWords(k));
  }

  /** The stretches of making batch k; none where that was not traced. */
  laps(k: number): Lap[] {
    return readLaps(this.#view.lapWords(k));
  }

  /** What the stages are called; null before a worker has said so. */
  stageNames(): string | null {
    return this.#view.load(STAGES_BYTES) === 0 ? null : this.#view.readText(this.#view.stagesText, STAGES_BYTES);
  }

  /** Why the worker has skipped a sample at first; null where it has not. */
  skipReason(worker: number): string | null {
    const word = this.#view.workerWord(worker, SKIP_BYTES);
    return this.#view.load(word) === 0 ? null : this.#view.readText(this.#view.skipText(worker), word);
  }

  /** Frees the slot of batch k for its next batch. */
  release(k: number): void {
    const turn = this.#view.turnWord(k);
    this.#view.store(turn, this.#view.freeTurn(k) + 2);
    Atomics.notify(this.#view.control, turn);
  }

  /** Whether batches that are begun from now on say what each stretch of their making took. */
  trace(on: boolean): void {
    this.#view.store(TRACING, on ? 1 : 0);
  }

  pause(): void {
    this.#pausedAt = performance.now();
    this.#view.store(GATE, PAUSED);
  }

  resume(): void {
    Atomics.add(this.#view.control, PAUSED_MS, Math.round(performance.now() - this.#pausedAt));
    this.#view.store(GATE, OPEN);
    Atomics.notify(this.#view.control, GATE);
  }

  /** Tells the workers to end, and wakes those that are parked. */
  close(): void {
    this.#view.store(GATE, CLOSED);
    Atomics.notify(this.#view.control, GATE);
    for (let slot = 0; slot < this.slots; slot++) {
      this.#view.store(this.#view.turnWord(slot), -1);
      Atomics.notify(this.#view.control, this.#view.turnWord(slot));
    }
  }

  /** The batch that the worker has claimed last; -1 before its first. */
  claimed(worker: number): number {
    return this.#word(worker, CLAIM);
  }

  /** The batch that the worker has claimed and not handed over; null where there is none. */
  owed(worker: number): number | null {
    const k = this.claimed(worker);
    return k >= 0 && this.#turn(k) <= this.#view.freeTurn(k) ? k : null;
  }

  /** The signs of life of the worker's thread so far. */
  beats(worker: number): number {
    return this.#word(worker, BEAT);
  }

  /** The sample that the worker is at; null between batches. */
  sample(worker: number): number | null {
    const sample = this.#word(worker, SAMPLE);
    return sample < 0 ? null : sample;
  }

  /** From now on nothing that the worker's thread does counts. */
  retire(worker: number): void {
    Atomics.add(this.#view.control, this.#view.workerWord(worker, GENERATION), 1);
  }

  /** Makes the worker ready for another thread; returns the generation that it is to name. */
  renew(worker: number): number {
    this.#view.store(this.#view.workerWord(worker, BEAT), 0);
    this.#view.store(this.#view.workerWord(worker, SAMPLE), -1);
    return this.#word(worker, GENERATION);
  }

  /** From now on the sample is taken for one that cannot be made. */
  lose(sample: number): void {
    const count = this.#view.load(LOST);
    if (count === MOST_LOST) throw new Error(`More than ${MOST_LOST} lost samples`);
    this.#view.store(this.#view.lostWord(count), sample);
    this.#view.store(LOST, count + 1);
  }

  #turn(k: number): number {
    return this.#view.load(this.#view.turnWord(k));
  }

  #word(worker: number, word: number): number {
    return this.#view.load(this.#view.workerWord(worker, word));
  }
}
