import type { BatchRecord } from "../../../runtime/data/loader/batch_record.ts";

/** Returns the record of a batch without measurements. */
export function recordOf(worker: number): BatchRecord {
  const now = performance.timeOrigin + performance.now();
  return {
    worker,
    beganAt: now,
    publishedAt: now,
    makeMs: 0,
    slotWaitMs: 0,
    publishMs: 0,
    skipped: 0,
    warned: 0,
    timed: 0,
    stages: [],
  };
}
