/**
 * What the device itself knows of training's progress, so that a step needs no word from the host: one buffer of 32-bit
 * words in three regions, each at an offset that a binding may have.
 *
 * @module
 */

/** Offsets in 32-bit words. */
export const StepWord = {
  /** Key of all random draws. */
  seed: 0,
  /** Steps so far, skipped ones included. */
  step: 1,
  /** Updates so far, skipped ones left out. */
  updates: 2,
  /** f32: the factor on the loss. */
  lossScale: 64,
  /** Updates since the loss scale last changed. */
  growthTracker: 128,
  /** Not 0 when a gradient of this step is not finite. */
  overflow: 129,
  /** Steps skipped because of an overflow. */
  skipped: 130,
  /** 1 while this step's update is skipped. */
  skip: 131,
  /** f32: 1 / the loss scale that this step's gradients carry. */
  inverseScale: 132,
  /** f32, to the end of the buffer: bias corrections 1 - beta^t, one for each beta that the optimizer names. */
  corrections: 133,
} as const;

/** WGSL for bias correction `n` in an update. */
export function correction(n: number): string {
  return `bitcast<f32>(S[${StepWord.corrections + n}])`;
}

/** Words of the buffer. */
export const STEP_STATE_WORDS = 192;

/** Steps whose losses are kept on the device until they are read. */
export const LOSS_RING_STEPS = 4096;

/** Words of one entry of the loss ring: loss, loss scale of the step, 1 when the update was skipped, 0. */
export const LOSS_RING_WORDS = 4;
