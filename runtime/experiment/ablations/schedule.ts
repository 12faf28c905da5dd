/** Minimum time of a block in ms, long enough to average out bursts of other work. */
const BLOCK_MS = 120;

/** Steps longer than this form a block alone, in ms. */
const LONG_STEP_MS = 1000;

const MAX_STEPS = 40;

/** Time after which no new round starts, given the minimum number of rounds, in ms. */
const MAX_MS = 12_000;

const ROUNDS = { least: 5, most: 9 } as const;

/** Steps per block, a multiple of the steps per submission, and number of rounds. */
export interface AblationSchedule {
  readonly steps: number;
  readonly rounds: { readonly least: number; readonly most: number };
  readonly mostMs: number;
}

/**
 * Chooses the length and number of blocks.
 *
 * @param stepMs time of the whole step in ms
 * @param unit steps per submission
 */
export function ablationSchedule(stepMs: number, unit: number): AblationSchedule {
  const enough = Math.ceil(BLOCK_MS / Math.max(stepMs, 0.01));
  const steps = Math.min(MAX_STEPS, Math.max(stepMs > LONG_STEP_MS ? 1 : 2, enough));
  return { steps: Math.ceil(steps / unit) * unit, rounds: ROUNDS, mostMs: MAX_MS };
}
