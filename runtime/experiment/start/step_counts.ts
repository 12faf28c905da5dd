import { roundUp } from "../../core/round_up.ts";
import type { Config } from "../../scenario/config.ts";
import type { MeasureConfig } from "../../scenario/schema.ts";
import type { Schedule } from "../planning.ts";
import { leastRounds } from "../rounds/stopping.ts";
import type { WarmUpSteps } from "./warm_up_phase.ts";

/** Minimum number of sinks to detect steady times; the first one compiles. */
const MIN_SINKS = 3;

/**
 * Returns the number of warm-up steps of an arm, a multiple of `unit`. With epochs, warm-up is the start of the first epoch,
 * and is omitted if it would take the whole epoch, so that every variant trains for exactly the given number of epochs.
 *
 * @param unit steps per submission
 * @param switchStep first step with tuned kernels, where an arm warms up again
 */
export function warmUpSteps({ skip, maxSkip, steps, epochs }: Schedule, unit: number, switchStep = 0): WarmUpSteps {
  const least = switchStep + roundUp(skip, unit);
  if (epochs) return least >= steps ? { least: 0, most: 0 } : { least, most: least };
  if (skip === 0 || maxSkip <= skip) return { least, most: least };
  return { least, most: switchStep + Math.max(roundUp(maxSkip, unit), unit === 1 ? 0 : MIN_SINKS * unit) };
}

/**
 * Returns the first step with tuned kernels: the end of the tuning window, rounded up to a multiple of `unit`. Returns 0
 * without a window, or without warm-up steps for it; kernels are then timed before the first step.
 */
export function switchStep({ skip, epochs }: Schedule, unit: number, { model, compile: { autotune } }: Config): number {
  return model === null || autotune === null || epochs || skip === 0 ? 0 : roundUp(autotune.stop, unit);
}

/**
 * Returns the number of steps that every variant takes in a complete run, regardless of how long it warms up. With epochs,
 * each trains for a whole number of them: Infinity.
 */
export function comparedSteps(
  { skip, steps, rounds, precision, processes }: MeasureConfig,
  epochs: number | null,
): number {
  if (epochs !== null) return Infinity;
  const least = leastRounds({ rounds, precision, maxTime: null });
  return skip + steps * Math.ceil(least / Math.min(processes ?? 1, least));
}

/** Returns the number of steps of an arm's block, a multiple of `unit`. */
export function blockSteps(schedule: Schedule, unit: number, round: number): number {
  const { steps, epochs } = schedule;
  const counted = epochs && round === 0 ? steps - warmUpSteps(schedule, unit).least : steps;
  return roundUp(counted, unit);
}
