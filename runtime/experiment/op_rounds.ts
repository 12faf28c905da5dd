import { RandomStream } from "../core/random.ts";
import type { Arm } from "./arm.ts";
import type { Attempts } from "./attempts.ts";
import type { Setups } from "./rounds/setups.ts";
import type { RunProgress } from "./run_progress.ts";

/** Number of rounds by default. After the minimum, they end once the times are precise, or the time budget is used. */
const ROUNDS = { min: 10, max: 100 } as const;

/** Time budget of an arm in ms. */
const BUDGET_MS = 6000;

/** Returns the least number of rounds with `measure.opRounds`. */
export function leastOpRounds(opRounds: number | null): number {
  return opRounds ?? ROUNDS.min;
}

/** Median relative standard error of the times of an arm's ops that is precise. */
const PRECISE = 0.03;

/**
 * Times the ops of arms in rounds of one step each, in a random order drawn from `seed`, so that differences between the
 * arms do not include changes of the machine over time. Set-ups between the rounds move buffers, whose places make single
 * ops faster or slower.
 */
export async function timeOps(
  arms: readonly Arm[],
  { attempts, progress, seed, setups, opRounds = null, interrupted }: {
    readonly attempts: Attempts;
    readonly progress: RunProgress;
    readonly seed: number;
    readonly setups: Pick<Setups, "before">;
    /** Number of rounds (`measure.opRounds`). Default null. */
    readonly opRounds?: number | null;
    interrupted(): boolean;
  },
): Promise<void> {
  const random = new RandomStream(seed, arms.length);
  const began = performance.now();
  const budget = BUDGET_MS * arms.length;
  const least = leastOpRounds(opRounds);
  let lastRound = 0;
  for (let round = 0; round < (opRounds ?? ROUNDS.max); round++) {
    const enough = round >= least;
    if (enough && (performance.now() - began > budget || arms.every((arm) => (arm.opTiming?.error ?? 0) <= PRECISE))) {
      return;
    }
    if (round > 0) await setups.before(round, lastRound);
    const begin = performance.now();
    const steps = arms.length * Math.max(least, round + 1);
    for (const [i, place] of [...random.permutation(arms.length)].entries()) {
      const arm = arms[place]!;
      if (interrupted() || !arm.running) continue;
      progress.opTimes(arm.name, arms.length * round + i, steps, `times of ops, round ${round + 1}`);
      await attempts.attempt(arm, async () => await arm.opTiming?.time());
    }
    lastRound = performance.now() - begin;
  }
}
