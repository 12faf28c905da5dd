/**
 * The stretches of a batch's making one by one, for traces: which sample, which stage of it, from when to when. Written
 * as numbers, so that they can lie in shared memory.
 *
 * @module
 */

/** The most that is kept of one batch; what comes after is told in sum. */
export const MAX_LAPS = 512;

/** One stretch; times in milliseconds after the batch's making began. */
export interface Lap {
  /** The sample that it spans, or null where it is one stage of a sample or the batch's end. */
  readonly sample: number | null;
  /** Index of the stage; null where it spans a sample. */
  readonly stage: number | null;
  readonly start: number;
  readonly end: number;
}

/** Notes laps until it is full. */
export class LapLog {
  /** How many, then for each what it is of (a stage, or -1 - sample), its start and its end. */
  readonly numbers = new Float64Array(1 + 3 * MAX_LAPS);
  #origin = 0;

  /** A batch begins at `origin`, on the clock of the laps. */
  begin(origin: number): void {
    this.numbers[0] = 0;
    this.#origin = origin;
  }

  /** Whether a sample with `stages` stages fits, and the batch's end after it. */
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

/** The laps that numbers say. */
export function readLaps(numbers: Float64Array): Lap[] {
  return Array.from({ length: numbers[0]! }, (_, i) => {
    const [code, start, end] = numbers.subarray(1 + 3 * i);
    return { sample: code! < 0 ? -1 - code! : null, stage: code! < 0 ? null : code!, start: start!, end: end! };
  });
}
