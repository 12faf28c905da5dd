/**
 * A ring of batches in shared memory. Batch k of the ring (counted from 0) lies in slot `k mod slots`. Each slot has a
 * turn: `2 r` means free for the batch of round r = floor(k / slots), `2 r + 1` means filled with it. A worker claims the
 * next batch with one atomic addition, waits for its slot's turn, fills the slot and advances the turn. The consumer takes
 * the batches in order and advances the turn again. Neither side spins, and nothing is copied.
 *
 * A worker whose thread has ended or hangs is replaced: its number gets another generation, and the old thread's writes
 * have no effect. This file is the consumer's side, `worker_ring.ts` the workers' side.
 *
 * Closing changes every word that a worker may be parked on, because a parked thread survives its termination (Deno 2.9).
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
  MAX_LOST,
  MESSAGE_BYTES,
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

/** Consumer's view of the ring. */
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

  /** Returns the tensors of batch k, valid until its release. */
  tensors(k: number): FieldArrays {
    return this.#view.tensors(k);
  }

  /** Returns true if batch k, or its failure, is in its slot. */
  ready(k: number): boolean {
    return this.#turn(k) === this.#view.freeTurn(k) + 1;
  }

  /** Returns true if the previous batch in the slot of batch k is not released yet. */
  held(k: number): boolean {
    return this.#turn(k) < this.#view.freeTurn(k);
  }

  /** Blocks the thread until batch k is ready, for at most `ms` milliseconds. */
  wait(k: number, ms: number): boolean {
    Atomics.wait(this.#view.control, this.#view.turnWord(k), this.#view.freeTurn(k), ms);
    return this.ready(k);
  }

  /** Returns the failure of batch k with its worker; null if the batch was made. */
  failure(k: number): { readonly worker: number; readonly message: string } | null {
    const view = this.#view;
    const worker = view.load(view.slotWord(k, FAILED)) - 1;
    if (worker < 0) return null;
    return { worker, message: view.readText(view.failureText(worker), view.workerWord(worker, MESSAGE_BYTES)) };
  }

  /** Returns the worker that has filled the slot of batch k. */
  maker(k: number): number {
    return this.#view.load(this.#view.slotWord(k, MAKER));
  }

  /** Returns the measurements of batch k, valid until its release. */
  record(k: number): BatchRecord {
    return readRecord(this.#view.recordWords(k));
  }

  /** Returns the laps of making batch k; none if they were not traced. */
  laps(k: number): Lap[] {
    return readLaps(this.#view.lapWords(k));
  }

  /** Returns the names of the stages as JSON; null before a worker has reported them. */
  stageNames(): string | null {
    return this.#view.load(STAGES_BYTES) === 0 ? null : this.#view.readText(this.#view.stagesText, STAGES_BYTES);
  }

  /** Returns the first notes of all workers. */
  notes(note: Note): string[] {
    return Array.from({ length: this.#view.workers }, (_, worker) => this.#view.readNote(note, worker) ?? []).flat();
  }

  /** Frees the slot of batch k for its next batch. */
  release(k: number): void {
    const turn = this.#view.turnWord(k);
    this.#view.store(turn, this.#view.freeTurn(k) + 2);
    Atomics.notify(this.#view.control, turn);
  }

  /** Turns the tracing of laps on or off for batches begun from now on. */
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

  /** Tells the workers to end and wakes parked ones. */
  close(): void {
    this.#view.store(GATE, CLOSED);
    Atomics.notify(this.#view.control, GATE);
    for (let slot = 0; slot < this.slots; slot++) {
      this.#view.store(this.#view.turnWord(slot), -1);
      Atomics.notify(this.#view.control, this.#view.turnWord(slot));
    }
  }

  /** Returns the last batch that the worker has claimed; -1 before its first. */
  claimed(worker: number): number {
    return this.#word(worker, CLAIM);
  }

  /** Returns the batch that the worker has claimed but not published, or null. */
  owed(worker: number): number | null {
    const k = this.claimed(worker);
    return k >= 0 && this.#turn(k) <= this.#view.freeTurn(k) ? k : null;
  }

  /** Returns the number of signs of life of the worker's thread. */
  beats(worker: number): number {
    return this.#word(worker, BEAT);
  }

  /** Returns the sample that the worker is making; null between batches. */
  sample(worker: number): number | null {
    const sample = this.#word(worker, SAMPLE);
    return sample < 0 ? null : sample;
  }

  /** Makes all further writes of the worker's thread ineffective. */
  retire(worker: number): void {
    Atomics.add(this.#view.control, this.#view.workerWord(worker, GENERATION), 1);
  }

  /** Prepares the worker for another thread; returns the generation of that thread. */
  renew(worker: number): number {
    this.#view.store(this.#view.workerWord(worker, BEAT), 0);
    this.#view.store(this.#view.workerWord(worker, SAMPLE), -1);
    return this.#word(worker, GENERATION);
  }

  /** Marks a sample at which a thread was lost, so that workers skip it. */
  lose(sample: number): void {
    const count = this.#view.load(LOST);
    if (count === MAX_LOST) throw new Error(`More than ${MAX_LOST} lost samples`);
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
