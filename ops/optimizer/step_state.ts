/**
 * Progress kept on the device, so that a step needs no data from the host: one buffer of 32-bit words in regions, each at
 * an offset that a binding can have.
 *
 * @module
 */

/** Offsets in 32-bit words. */
export const StepWord = {
  /** Key of all random draws. */
  seed: 0,
  /** Batches so far, including those of skipped steps: with `accumulate: n`, a step has n. */
  step: 1,
  /** Updates so far, excluding skipped ones. */
  updates: 2,
  /** f32: mean loss of the step, added up over its micro-batches. */
  lossSum: 3,
  /** f32: factor of the schedule on the learning rate, for the current update. */
  rateFactor: 4,
  /** f32: factor on the loss. */
  lossScale: 64,
  /** Updates since the loss scale last changed. */
  growthTracker: 128,
  /** Nonzero if a gradient of this step is not finite. */
  overflow: 129,
  /** Steps skipped because of an overflow. */
  skipped: 130,
  /** 1 if this step's update is skipped. */
  skip: 131,
  /** f32: 1 / loss scale of this step's gradients. */
  inverseScale: 132,
  /** f32, to the end of the region: bias corrections 1 - beta^t, one for each of the optimizer's betas. */
  corrections: 133,
  /** i32: place in a sequence. The region is there if a plan reads it. */
  position: 192,
} as const;

/** Returns the WGSL expression for bias correction `n` in an update. */
export function correction(n: number): string {
  return `bitcast<f32>(S[${StepWord.corrections + n}])`;
}

/** Size of the buffer without the position, in words. */
export const STEP_STATE_WORDS = 192;

/** Size of the region of the position, in words. */
export const POSITION_WORDS = 4;

/** Steps whose losses are kept on the device until they are read. */
export const LOSS_RING_STEPS = 4096;

/**
 * Words per entry of the loss ring: loss, loss scale of the step, 1 if the update was skipped, and the schedule's factor on
 * the learning rate, or 0 without a schedule.
 */
export const LOSS_RING_WORDS = 4;
