/** What the making of one batch took, measured where it was made. */
export interface BatchRecord {
  /** The worker's number; -1 for the main thread. */
  worker: number;
  /** When the worker began, in milliseconds of the epoch (`performance.timeOrigin + performance.now()`). */
  beganAt: number;
  /** When the batch was handed over, on the same clock. */
  publishedAt: number;
  /** Making the batch: milliseconds. */
  makeMs: number;
  /** Waiting for a free slot before it: milliseconds. */
  slotWaitMs: number;
  /** Handing it over, as far as the worker has to do it: milliseconds. */
  publishMs: number;
  /** Samples that were left out for others. */
  skipped: number;
  /** Samples whose stages were timed. */
  timed: number;
  /** Milliseconds of each stage over the timed samples. */
  stages: ArrayLike<number>;
}

/** The most stages that are told apart; those beyond count as the last one. */
export const MAX_STAGES = 32;

const FIELDS = 8;

/** Numbers of a record in memory. */
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
  to[7] = record.timed;
  for (let i = 0; i < record.stages.length; i++) to[FIELDS + i] = record.stages[i]!;
}

/** Reads a record; `stages` stays a view of the memory. */
export function readRecord(from: Float64Array): BatchRecord {
  return {
    worker: from[0]!,
    beganAt: from[1]!,
    publishedAt: from[2]!,
    makeMs: from[3]!,
    slotWaitMs: from[4]!,
    publishMs: from[5]!,
    skipped: from[6]!,
    timed: from[7]!,
    stages: from.subarray(FIELDS),
  };
}

/** The time on a clock that all threads share: milliseconds. */
export function sharedNow(): number {
  return performance.timeOrigin + performance.now();
}
