import { type FieldArrays, fieldBytes, type FieldSizes, viewFields } from "../fields.ts";
import { MAX_LAPS } from "./lap_log.ts";
import { RECORD_LENGTH } from "./batch_record.ts";

/** Shared memory of a ring of batches and its sizes, as plain data that is cloned to workers. */
export interface RingMemory {
  readonly slots: number;
  readonly workers: number;
  /** Fields of one batch. */
  readonly fields: FieldSizes;
  /** Room for the names of the stages in bytes. */
  readonly stagesBytes: number;
  readonly control: SharedArrayBuffer;
  /** Batches by field, one slot after another. */
  readonly tensors: Readonly<Record<string, SharedArrayBuffer>>;
  /** Measurements of each batch. */
  readonly records: SharedArrayBuffer;
  /** Laps of each batch, if traced. */
  readonly laps: SharedArrayBuffer;
  /** Batches lie in `tensors`; otherwise workers send them as messages. */
  readonly holdsBatches: boolean;
}

/** Shared words of the control memory. */
export const NEXT = 0;
export const GATE = 1;
export const STAGES_BYTES = 2;
export const PAUSED_MS = 3;
export const TRACING = 4;
export const LOST = 5;
const HEADER = 6;

/** Values of the gate. */
export const OPEN = 0;
export const PAUSED = 1;
export const CLOSED = 2;

/** Words of each slot. */
const TURN = 0;
export const FAILED = 1;
export const MAKER = 2;
const SLOT_WORDS = 3;

/** Words of each worker. */
export const CLAIM = 0;
export const BEAT = 1;
export const SAMPLE = 2;
export const MESSAGE_BYTES = 3;
export const GENERATION = 4;
/** Bytes of each of its notes. */
const NOTE_BYTES = 5;
const WORKER_WORDS = 7;

/** Notes that a worker leaves: the first reason for skipping a sample, and the first warning about one. */
const NOTES = ["skip", "warning"] as const;
export type Note = typeof NOTES[number];

/** Largest number of samples at which threads were lost. */
export const MAX_LOST = 32;

/** Bytes of a text: a worker's failure or one of its notes. */
const TEXT_CAPACITY = 4096;

/** Texts of each worker. */
const TEXTS = 1 + NOTES.length;

/** Numbers for a batch's laps: their count, then 3 for each. */
const LAPS_LENGTH = 1 + 3 * MAX_LAPS;

/** Bytes of a slot beside its batch. */
export const SLOT_BYTES = 4 * SLOT_WORDS + 8 * (RECORD_LENGTH + LAPS_LENGTH);

type Sizes = Omit<RingMemory, "control" | "tensors" | "records" | "laps">;

export function allocateRing(sizes: Sizes): RingMemory {
  const words = wordsOf(sizes);
  const slots = sizes.holdsBatches ? sizes.slots : 0;
  const tensors = Object.entries(sizes.fields)
    .map(([name, field]) => [name, new SharedArrayBuffer(slots * fieldBytes(field))]);
  const ring: RingMemory = {
    ...sizes,
    control: new SharedArrayBuffer(4 * words + sizes.stagesBytes + TEXTS * sizes.workers * TEXT_CAPACITY),
    tensors: Object.fromEntries(tensors),
    records: new SharedArrayBuffer(8 * sizes.slots * RECORD_LENGTH),
    laps: new SharedArrayBuffer(8 * sizes.slots * LAPS_LENGTH),
  };
  const view = new RingView(ring);
  for (let worker = 0; worker < sizes.workers; worker++) {
    view.control[view.workerWord(worker, CLAIM)] = -1;
    view.control[view.workerWord(worker, SAMPLE)] = -1;
  }
  return ring;
}

function wordsOf({ slots, workers }: Sizes): number {
  return HEADER + MAX_LOST + slots * SLOT_WORDS + workers * WORKER_WORDS;
}

/** Named parts of a ring's memory, shared by both sides. */
export class RingView {
  readonly slots: number;
  readonly workers: number;
  readonly control: Int32Array<SharedArrayBuffer>;
  /** Names of the stages, then each worker's failure, then the notes of all workers, kind by kind. */
  readonly #texts: readonly Uint8Array[];
  readonly #records: readonly Float64Array[];
  readonly #laps: readonly Float64Array[];
  readonly #tensors: readonly FieldArrays[];

  constructor(memory: RingMemory) {
    const { slots, workers, fields, tensors } = memory;
    const words = wordsOf(memory);
    const kept = memory.holdsBatches ? slots : 0;
    const each = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
    const doubles = (from: SharedArrayBuffer, length: number) =>
      each(slots, (i) => new Float64Array(from, 8 * i * length, length));
    this.slots = slots;
    this.workers = workers;
    this.control = new Int32Array(memory.control, 0, words);
    const texts = 4 * words + memory.stagesBytes;
    this.#texts = [
      new Uint8Array(memory.control, 4 * words, memory.stagesBytes),
      ...each(TEXTS * workers, (i) => new Uint8Array(memory.control, texts + i * TEXT_CAPACITY, TEXT_CAPACITY)),
    ];
    this.#tensors = each(kept, (i) => viewFields(fields, (name) => tensors[name]!, i));
    this.#records = doubles(memory.records, RECORD_LENGTH);
    this.#laps = doubles(memory.laps, LAPS_LENGTH);
  }

  /** Returns the tensors of batch k, valid from its turn to its release. */
  tensors(k: number): FieldArrays {
    return this.#tensors[k % this.slots]!;
  }

  /** Returns the memory of the record of batch k. */
  recordWords(k: number): Float64Array {
    return this.#records[k % this.slots]!;
  }

  /** Returns the memory of the laps of batch k. */
  lapWords(k: number): Float64Array {
    return this.#laps[k % this.slots]!;
  }

  /** Returns the index of the turn of batch k's slot. */
  turnWord(k: number): number {
    return this.slotWord(k, TURN);
  }

  /** Returns the turn at which the slot is free for batch k; one more means filled with it. */
  freeTurn(k: number): number {
    return 2 * Math.floor(k / this.slots);
  }

  slotWord(k: number, word: number): number {
    return HEADER + MAX_LOST + (k % this.slots) * SLOT_WORDS + word;
  }

  workerWord(worker: number, word: number): number {
    return HEADER + MAX_LOST + this.slots * SLOT_WORDS + worker * WORKER_WORDS + word;
  }

  /** Returns the index of the n-th sample at which a thread was lost. */
  lostWord(n: number): number {
    return HEADER + n;
  }

  load(word: number): number {
    return Atomics.load(this.control, word);
  }

  store(word: number, value: number): void {
    Atomics.store(this.control, word, value);
  }

  /** Writes a text, and its length to `lengthWord`. */
  writeText(text: number, lengthWord: number, content: string): void {
    this.store(lengthWord, new TextEncoder().encodeInto(content, this.#texts[text]!).written);
  }

  readText(text: number, lengthWord: number): string {
    return new TextDecoder().decode(this.#texts[text]!.slice(0, this.load(lengthWord)));
  }

  /** Indices of texts. */
  readonly stagesText = 0;

  failureText(worker: number): number {
    return 1 + worker;
  }

  /** Writes a worker's note; keeps the first. */
  writeNote(note: Note, worker: number, content: string): void {
    const { text, lengthWord } = this.#note(note, worker);
    if (this.load(lengthWord) === 0) this.writeText(text, lengthWord, content);
  }

  /** Reads a worker's note; null before one. */
  readNote(note: Note, worker: number): string | null {
    const { text, lengthWord } = this.#note(note, worker);
    return this.load(lengthWord) === 0 ? null : this.readText(text, lengthWord);
  }

  #note(note: Note, worker: number): { text: number; lengthWord: number } {
    const kind = NOTES.indexOf(note);
    const text = 1 + (1 + kind) * this.workers + worker;
    return { text, lengthWord: this.workerWord(worker, NOTE_BYTES + kind) };
  }
}
