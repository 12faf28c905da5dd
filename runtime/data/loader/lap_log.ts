/**
 * Laps of making a batch, for traces: the samples and their stages with start and end. Stored as numbers, so that they fit
 * in shared memory.
 *
 * @module
 */

/** Largest number of laps per batch; later ones are only summed. */
export const MAX_LAPS = 512;

/** One lap; times in milliseconds since the start of the batch. */
export interface Lap {
  /** Sample that it spans; null for a stage. */
  readonly sample: number | null;
  /** Index of the stage; null for a sample. */
  readonly stage: number | null;
  readonly start: number;
  readonly end: number;
}

/** Records laps until it is full. */
export class LapLog {
  /** Number of laps, then for each a code (stage, or -1 - sample), its start and its end. */
  readonly numbers = new Float64Array(1 + 3 * MAX_LAPS);
  #origin = 0;

  /** Starts a batch at `origin`, on the clock of the laps. */
  begin(origin: number): void {
    this.numbers[0] = 0;
    this.#origin = origin;
  }

  /** Returns true if a sample with `stages` stages fits, and the batch's end after it. */
  hasRoom(stages: number): boolean {
    return this.numbers[0]! + stages + 2 <= MAX_LAPS;
  }

  stage(index: number, start: number, end: number): void {
    this.#add(index, start, end);
  }

  sample(index: number, start: number, end: number): void {
    this.#add(-1 - index, start, end);
  }

  #add(code: number, start: number, end: number): void {
    const count = this.numbers[0]!;
    if (count === MAX_LAPS) return;
    this.numbers[0] = count + 1;
    this.numbers.set([code, start - this.#origin, end - this.#origin], 1 + 3 * count);
  }
}

/** Decodes laps. */
export function readLaps(numbers: Float64Array): Lap[] {
  return Array.from({ length: numbers[0]! }, (_, i) => {
    const [code, start, end] = numbers.subarray(1 + 3 * i);
    return { sample: code! < 0 ? -1 - code! : null, stage: code! < 0 ? null : code!, start: start!, end: end! };
  });
}
