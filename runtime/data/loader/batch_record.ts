/** Measurements of one batch, taken on the thread that makes it. */
export interface BatchRecord {
  /** Number of the worker; -1 for the main thread. */
  worker: number;
  /** Start of its making, in ms since the Unix epoch (`performance.timeOrigin + performance.now()`). */
  beganAt: number;
  /** Time of its publication, on the same clock. */
  publishedAt: number;
  /** Milliseconds to make the batch. */
  makeMs: number;
  /** Milliseconds waited for a free slot before. */
  slotWaitMs: number;
  /** Milliseconds of the worker to publish it. */
  publishMs: number;
  /** Number of replaced samples. */
  skipped: number;
  /** Number of samples with a warning. */
  warned: number;
  /** Number of samples whose stages were timed. */
  timed: number;
  /** Milliseconds of each stage, summed over the timed samples. */
  stages: ArrayLike<number>;
}

/** Largest number of stages; further ones are merged. */
export const MAX_STAGES = 32;

const FIELDS = 9;

/** Length of a record in memory. */
export const RECORD_LENGTH = FIELDS + MAX_STAGES;

/** Writes a record to shared memory. */
export function writeRecord(to: Float64Array, record: BatchRecord): void {
  to[0] = record.worker;
  to[1] = record.beganAt;
  to[2] = record.publishedAt;
  to[3] = record.makeMs;
  to[4] = record.slotWaitMs;
  to[5] = record.publishMs;
  to[6] = record.skipped;
  to[7] = record.warned;
  to[8] = record.timed;
  for (let i = 0; i < record.stages.length; i++) to[FIELDS + i] = record.stages[i]!;
}

/** Reads a record; `stages` is a view of the memory. */
export function readRecord(from: Float64Array): BatchRecord {
  return {
    worker: from[0]!,
    beganAt: from[1]!,
    publishedAt: from[2]!,
    makeMs: from[3]!,
    slotWaitMs: from[4]!,
    publishMs: from[5]!,
    skipped: from[6]!,
    warned: from[7]!,
    timed: from[8]!,
    stages: from.subarray(FIELDS),
  };
}
