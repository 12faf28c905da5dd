import type { Batch } from "../../data/loader/loader.ts";
import type { BatchSource } from "./feed.ts";

const EMPTY: Batch = {
  index: 0,
  epoch: 0,
  size: 0,
  count: 0,
  tensors: {},
  waitMs: 0,
  workMs: 0,
  worker: null,
  beganAt: 0,
  stages: { timed: 0, names: [], ms: [], slotWaitMs: 0 },
  release: () => {},
};

/** Source of empty batches: nothing is loaded or copied, so a feed reuses the batch on the device. */
export const RESIDENT_BATCHES: BatchSource = {
  next: () => Promise.resolve(EMPTY),
  queueDepth: () => 0,
};
