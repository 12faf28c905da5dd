/**
 * A ring of batches in shared memory. Batch k of the ring (counted from 0) lies in slot `k mod slots`. Each slot has a
 * turn: `2 r` says that it is free for the batch of round r = floor(k / slots), `2 r + 1` that this batch is in it. A
 * worker claims the next batch with one atomic addition, waits for its slot's turn, fills it and advances the turn; the
 * consumer takes the batches in order and advances it again. Nobody spins, and nothing is copied.
 *
 * Closing changes every word that a worker may be parked on, because a thread that is parked outlives its termination
 * (Deno 2.9).
 *
 * @module
 */
import { type BatchRecord, readRecord, RECORD_LENGTH, writeRecord } from "./batch_record.ts";

/** The shared memory and its sizes, as plain data that is cloned to workers. */
export interface RingMemory {
  readonly slots: number;
  readonly workers: number;
  /** Elements of one batch. */
  readonly inputLength: number;
  readonly targetLength: number;
  readonly targetDType: "i32" | "f32";
  readonly control: SharedArrayBuffer;
  readonly input: SharedArrayBuffer;
  readonly target: SharedArrayBuffer;
  /** What making each batch took. */
  readonly records: SharedArrayBuffer;
  /** Whether batches lie in `input` and `target`; else workers send them as messages, and these are empty. */
  readonly holdsBatches: boolean;
}

/** Words of the control memory: some for all, then some per slot, then some per worker, then texts. */
const NEXT = 0;
const GATE = 1;
const STAGES_BYTES = 2;
const PAUSED_MS = 3;
const HEADER = 4;

/** What the gate says to workers. */
const OPEN = 0;
const PAUSED = 1;
const CLOSED = 2;

const TURN = 0;
const FAILED = 1;
const SLOT_WORDS = 2;

const CLAIM = 0;
const BEAT = 1;
const SAMPLE = 2;
const MESSAGE_BYTES = 3;
const SKIP_BYTES = 4;
const WORKER_WORDS = 5;

/** Bytes of a text: the names of the stages, why a worker failed, why it has skipped a sample. */
const TEXT_CAPACITY = 4096;

export function allocateRing(sizes: Omit<RingMemory, "control" | "input" | "target" | "records">): RingMemory {
  const words = HEADER + sizes.slots * SLOT_WORDS + sizes.workers * WORKER_WORDS;
  const kept = sizes.holdsBatches ? sizes.slots : 0;
  const ring: RingMemory = {
    ...sizes,
    control: new SharedArrayBuffer(4 * words + (1 + 2 * sizes.workers) * TEXT_CAPACITY),
    input: new SharedArrayBuffer(4 * kept * sizes.inputLength),
    target: new SharedArrayBuffer(4 * kept * sizes.targetLength),
    records: new SharedArrayBuffer(8 * sizes.slots * RECORD_LENGTH),
  };
  const control = new Int32Array(ring.control, 0, words);
  for (let worker = 0; worker < sizes.workers; worker++) control[workerWord(sizes.slots, worker, CLAIM)] = -1;
  return ring;
}

function slotWord(slot: number, word: number): number {
  return HEADER + slot * SLOT_WORDS + word;
}

function workerWord(slots: number, worker: number, word: number): number {
  return HEADER + slots * SLOT_WORDS + worker * WORKER_WORDS + word;
}

/** A batch that a worker is to make. */
export interface Claim {
  /** Its number in the ring. */
  readonly k: number;
  /** How long the worker waited for its slot to be free, pauses of the ring left out: milliseconds. */
  readonly slotWaitMs: number;
}

/** One thread's view of the ring. */
export class Ring {
  readonly slots: number;
  readonly workers: number;
  readonly #control: Int32Array<SharedArrayBuffer>;
  /** The names of the stages, then each worker's failure and the first reason for which it has skipped a sample. */
  readonly #texts: readonly Uint8Array[];
  readonly #records: readonly Float64Array[];
  #pausedAt = 0;
  readonly #inputs: readonly Float32Array[];
  readonly #targets: readonly (Int32Array | Float32Array)[];

  constructor(memory: RingMemory) {
    const { slots, workers, inputLength, targetLength } = memory;
    const words = HEADER + slots * SLOT_WORDS + workers * WORKER_WORDS;
    const kept = memory.holdsBatches ? slots : 0;
    const targetAt = memory.targetDType === "i32"
      ? (begin: number) => new Int32Array(memory.target, begin, targetLength)
      : (begin: number) => new Float32Array(memory.target, begin, targetLength);
    const each = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
    this.slots = slots;
    this.workers = workers;
    this.#control = new Int32Array(memory.control, 0, words);
    this.#texts = each(
      1 + 2 * workers,
      (i) => new Uint8Array(memory.control, 4 * words + i * TEXT_CAPACITY, TEXT_CAPACITY),
    );
    this.#inputs = each(kept, (i) => new Float32Array(memory.input, 4 * i * inputLength, inputLength));
    this.#targets = each(kept, (i) => targetAt(4 * i * targetLength));
    this.#records = each(slots, (i) => new Float64Array(memory.records, 8 * i * RECORD_LENGTH, RECORD_LENGTH));
  }

  /** The input of batch k: valid from its turn to its release. */
  input(k: number): Float32Array {
    return this.#inputs[k % this.slots]!;
  }

  target(k: number): Int32Array | Float32Array {
    return this.#targets[k % this.slots]!;
  }

  // What workers call.

  /** Takes the next batch; parks until its slot is free and the ring is not paused. null when the ring is closed. */
  claim(worker: number): Claim | null {
    if (this.pass() === null) return null;
    const k = Atomics.add(this.#control, NEXT, 1);
    Atomics.store(this.#control, workerWord(this.slots, worker, CLAIM), k);
    const turn = slotWord(k % this.slots, TURN);
    const free = 2 * Math.floor(k / this.slots);
    const begin = performance.now();
    const paused = Atomics.load(this.#control, PAUSED_MS);
    for (;;) {
      const now = Atomics.load(this.#control, turn);
      if (now === free) break;
      if (Atomics.load(this.#control, GATE) === CLOSED) return null;
      Atomics.wait(this.#control, turn, now);
    }
    if (this.pass() === null) return null;
    const waited = performance.now() - begin - (Atomics.load(this.#control, PAUSED_MS) - paused);
    return { k, slotWaitMs: Math.max(0, waited) };
  }

  /** Parks while the ring is paused; returns for how long, in milliseconds, or null when the ring is closed. */
  pass(): number | null {
    let gate = Atomics.load(this.#control, GATE);
    if (gate === OPEN) return 0;
    const begin = performance.now();
    for (; gate === PAUSED; gate = Atomics.load(this.#control, GATE)) Atomics.wait(this.#control, GATE, PAUSED);
    return gate === OPEN ? performance.now() - begin : null;
  }

  /** A sign of life, before a sample. */
  beat(worker: number, sample: number): void {
    Atomics.store(this.#control, workerWord(this.slots, worker, SAMPLE), sample);
    Atomics.add(this.#control, workerWord(this.slots, worker, BEAT), 1);
  }

  /** Says what the stages are called; all workers say the same. */
  nameStages(names: string): void {
    Atomics.store(this.#control, STAGES_BYTES, this.#write(0, names));
  }

  /** Says why the worker has skipped a sample; the first reason stays. */
  noteSkip(worker: number, reason: string): void {
    const word = workerWord(this.slots, worker, SKIP_BYTES);
    if (Atomics.load(this.#control, word) > 0) return;
    Atomics.store(this.#control, word, this.#write(1 + this.workers + worker, reason));
  }

  /** Hands batch k over. */
  publish(k: number, record: BatchRecord): void {
    writeRecord(this.#records[k % this.slots]!, record);
    this.#fill(k);
  }

  /** Hands over why batch k cannot be made. */
  publishFailure(k: number, worker: number, message: string): void {
    const bytes = this.#write(1 + worker, message);
    Atomics.store(this.#control, workerWord(this.slots, worker, MESSAGE_BYTES), bytes);
    Atomics.store(this.#control, slotWord(k % this.slots, FAILED), worker + 1);
    this.#fill(k);
  }

  #write(text: number, content: string): number {
    return new TextEncoder().encodeInto(content, this.#texts[text]!).written;
  }

  #read(text: number, bytes: number): string {
    return new TextDecoder().decode(this.#texts[text]!.slice(0, bytes));
  }

  #fill(k: number): void {
    const turn = slotWord(k % this.slots, TURN);
    Atomics.store(this.#control, turn, 2 * Math.floor(k / this.slots) + 1);
    Atomics.notify(this.#control, turn);
  }

  // What the consumer calls.

  /** Whether batch k, or its failure, is in its slot. */
  ready(k: number): boolean {
    return Atomics.load(this.#control, slotWord(k % this.slots, TURN)) === 2 * Math.floor(k / this.slots) + 1;
  }

  /** Whether the batch that had the slot of batch k before has not been released. */
  held(k: number): boolean {
    return Atomics.load(this.#control, slotWord(k % this.slots, TURN)) < 2 * Math.floor(k / this.slots);
  }

  /** Waits for batch k, at most `ms` milliseconds; blocks the thread. */
  wait(k: number, ms: number): boolean {
    Atomics.wait(this.#control, slotWord(k % this.slots, TURN), 2 * Math.floor(k / this.slots), ms);
    return this.ready(k);
  }

  /** Why batch k could not be made, and by whom; null where it was. */
  failure(k: number): { readonly worker: number; readonly message: string } | null {
    const worker = Atomics.load(this.#control, slotWord(k % this.slots, FAILED)) - 1;
    if (worker < 0) return null;
    const length = Atomics.load(this.#control, workerWord(this.slots, worker, MESSAGE_BYTES));
    return { worker, message: this.#read(1 + worker, length) };
  }

  /** What making batch k took: valid until its release. */
  record(k: number): BatchRecord {
    return readRecord(this.#records[k % this.slots]!);
  }

  /** What the stages are called; null before a worker has said so. */
  stageNames(): string | null {
    const bytes = Atomics.load(this.#control, STAGES_BYTES);
    return bytes === 0 ? null : this.#read(0, bytes);
  }

  /** Why the worker has skipped a sample at first; null where it has not. */
  skipReason(worker: number): string | null {
    const bytes = Atomics.load(this.#control, workerWord(this.slots, worker, SKIP_BYTES));
    return bytes === 0 ? null : this.#read(1 + this.workers + worker, bytes);
  }

  /** Frees the slot of batch k for its next batch. */
  release(k: number): void {
    const turn = slotWord(k % this.slots, TURN);
    Atomics.store(this.#control, turn, 2 * Math.floor(k / this.slots) + 2);
    Atomics.notify(this.#control, turn);
  }

  pause(): void {
    this.#pausedAt = performance.now();
    Atomics.store(this.#control, GATE, PAUSED);
  }

  resume(): void {
    Atomics.add(this.#control, PAUSED_MS, Math.round(performance.now() - this.#pausedAt));
    Atomics.store(this.#control, GATE, OPEN);
    Atomics.notify(this.#control, GATE);
  }

  /** Tells the workers to end, and wakes those that are parked. */
  close(): void {
    Atomics.store(this.#control, GATE, CLOSED);
    Atomics.notify(this.#control, GATE);
    for (let slot = 0; slot < this.slots; slot++) {
      Atomics.store(this.#control, slotWord(slot, TURN), -1);
      Atomics.notify(this.#control, slotWord(slot, TURN));
    }
  }

  /** The batch that the worker has claimed last; -1 before its first. */
  claimed(worker: number): number {
    return Atomics.load(this.#control, workerWord(this.slots, worker, CLAIM));
  }

  /** The worker's signs of life so far. */
  beats(worker: number): number {
    return Atomics.load(this.#control, workerWord(this.slots, worker, BEAT));
  }

  /** The sample that the worker was at when it gave its last sign of life. */
  sample(worker: number): number {
    return Atomics.load(this.#control, workerWord(this.slots, worker, SAMPLE));
  }
}
