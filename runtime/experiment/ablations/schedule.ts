/** How long a block is to take at the least, so that a burst of other work is not all of it: ms. */
const BLOCK_MS = 120;

/** A step that takes longer than this is a block by itself: ms. */
const LONG_STEP_MS = 1000;

const MOST_STEPS = 40;

/** After this time no further round is begun, once there are enough: ms. */
const MOST_MS = 12_000;

const ROUNDS = { least: 5, most: 9 } as const;

/** Steps of each ablation's block, in whole units, and rounds of blocks. */
export interface AblationSchedule {
  readonly steps: number;
  readonly rounds: { readonly least: number; readonly most: number };
  readonly mostMs: number;
}

/** @param stepMs ms of a step of the whole scenario */
export function ablationSchedule(stepMs: number, unit: number): AblationSchedule {
  const enough = Math.ceil(BLOCK_MS / Math.max(stepMs, 0.01));
  const steps = Math.min(MOST_STEPS, Math.max(stepMs > LONG_STEP_MS ? 1 : 2, enough));
  return { steps: Math.ceil(steps / unit) * unit, rounds: ROUNDS, mostMs: MOST_MS };
}
