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
}

/** Words of the control memory: two for all, then some per slot, then some per worker, then the workers' messages. */
const NEXT = 0;
const GATE = 1;
const HEADER = 2;

/** What the gate says to workers. */
const OPEN = 0;
const PAUSED = 1;
const CLOSED = 2;

const TURN = 0;
const FAILED = 1;
const MICROSECONDS = 2;
const SLOT_WORDS = 3;

const CLAIM = 0;
const BEAT = 1;
const MESSAGE_BYTES = 2;
const WORKER_WORDS = 3;

/** Bytes for the message of a worker's failure. */
const MESSAGE_CAPACITY = 4096;

export function allocateRing(sizes: Omit<RingMemory, "control" | "input" | "target">): RingMemory {
  const words = HEADER + sizes.slots * SLOT_WORDS + sizes.workers * WORKER_WORDS;
  const ring: RingMemory = {
    ...sizes,
    control: new SharedArrayBuffer(4 * words + sizes.workers * MESSAGE_CAPACITY),
    input: new SharedArrayBuffer(4 * sizes.slots * sizes.inputLength),
    target: new SharedArrayBuffer(4 * sizes.slots * sizes.targetLength),
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

/** One thread's view of the ring. */
export class Ring {
  readonly slots: number;
  readonly workers: number;
  readonly #control: Int32Array<SharedArrayBuffer>;
  readonly #messages: readonly Uint8Array[];
  readonly #inputs: readonly Float32Array[];
  readonly #targets: readonly (Int32Array | Float32Array)[];

  constructor(memory: RingMemory) {
    const { slots, workers, inputLength, targetLength } = memory;
    const words = HEADER + slots * SLOT_WORDS + workers * WORKER_WORDS;
    const { target } = memory;
    const targetAt = memory.targetDType === "i32"
      ? (begin: number) => new Int32Array(target, begin, targetLength)
      : (begin: number) => new Float32Array(target, begin, targetLength);
    const each = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
    this.slots = slots;
    this.workers = workers;
    this.#control = new Int32Array(memory.control, 0, words);
    this.#messages = each(
      workers,
      (i) => new Uint8Array(memory.control, 4 * words + i * MESSAGE_CAPACITY, MESSAGE_CAPACITY),
    );
    this.#inputs = each(slots, (i) => new Float32Array(memory.input, 4 * i * inputLength, inputLength));
    this.#targets = each(slots, (i) => targetAt(4 * i * targetLength));
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
  claim(worker: number): number | null {
    if (!this.pass()) return null;
    const k = Atomics.add(this.#control, NEXT, 1);
    Atomics.store(this.#control, workerWord(this.slots, worker, CLAIM), k);
    const turn = slotWord(k % this.slots, TURN);
    const free = 2 * Math.floor(k / this.slots);
    for (;;) {
      const now = Atomics.load(this.#control, turn);
      if (now === free) return this.pass() ? k : null;
      if (Atomics.load(this.#control, GATE) === CLOSED) return null;
      Atomics.wait(this.#control, turn, now);
    }
  }

  /** Parks while the ring is paused. False when it is closed. */
  pass(): boolean {
    for (;;) {
      const gate = Atomics.load(this.#control, GATE);
      if (gate !== PAUSED) return gate === OPEN;
      Atomics.wait(this.#control, GATE, PAUSED);
    }
  }

  /** A sign of life. */
  beat(worker: number): void {
    Atomics.add(this.#control, workerWord(this.slots, worker, BEAT), 1);
  }

  /** Hands batch k over, which took `ms` milliseconds of work. */
  publish(k: number, ms: number): void {
    const slot = k % this.slots;
    Atomics.store(this.#control, slotWord(slot, MICROSECONDS), Math.min(Math.round(ms * 1000), 0x7fffffff));
    this.#fill(k);
  }

  /** Hands over why batch k cannot be made. */
  publishFailure(k: number, worker: number, message: string): void {
    let bytes = new TextEncoder().encode(message);
    if (bytes.length > MESSAGE_CAPACITY) bytes = bytes.subarray(0, MESSAGE_CAPACITY);
    this.#messages[worker]!.set(bytes);
    Atomics.store(this.#control, workerWord(this.slots, worker, MESSAGE_BYTES), bytes.length);
    Atomics.store(this.#control, slotWord(k % this.slots, FAILED), worker + 1);
    this.#fill(k);
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
    return { worker, message: new TextDecoder().decode(this.#messages[worker]!.slice(0, length)) };
  }

  /** Milliseconds of work in batch k. */
  workMs(k: number): number {
    return Atomics.load(this.#control, slotWord(k % this.slots, MICROSECONDS)) / 1000;
  }

  /** Frees the slot of batch k for its next batch. */
  release(k: number): void {
    const turn = slotWord(k % this.slots, TURN);
    Atomics.store(this.#control, turn, 2 * Math.floor(k / this.slots) + 2);
    Atomics.notify(this.#control, turn);
  }

  pause(): void {
    Atomics.store(this.#control, GATE, PAUSED);
  }

  resume(): void {
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

  /** Signs of life of all workers so far. */
  beats(): number {
    let sum = 0;
    for (let worker = 0; worker < this.workers; worker++) {
      sum += Atomics.load(this.#control, workerWord(this.slots, worker, BEAT));
    }
    return sum;
  }
}
