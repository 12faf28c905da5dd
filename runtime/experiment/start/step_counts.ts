import { roundUp } from "../../core/round_up.ts";
import type { Config } from "../../scenario/config.ts";
import type { Schedule } from "../planning.ts";
import type { WarmUpSteps } from "./warm_up.ts";

/** Sinks that it takes to see whether their times are steady: the first compiles. */
const LEAST_SINKS = 3;

/**
 * Steps of an arm that do not count, in whole units. In epochs they are the first of the first epoch, and none where they
 * would be all of it: every variant trains for as many epochs as it was told.
 *
 * @param unit steps that are handed over together
 * @param switchStep where another plan takes over: an arm warms up anew from there on
 */
export function warmUpSteps({ skip, maxSkip, steps, epochs }: Schedule, unit: number, switchStep = 0): WarmUpSteps {
  const least = switchStep + roundUp(skip, unit);
  if (epochs) return least >= steps ? { least: 0, most: 0 } : { least, most: least };
  if (skip === 0 || maxSkip <= skip) return { least, most: least };
  return { least, most: switchStep + Math.max(roundUp(maxSkip, unit), unit === 1 ? 0 : LEAST_SINKS * unit) };
}

/**
 * The step before which an arm's tuned kernels take over: the end of its window, in whole units. 0 where it has none, or
 * no steps that do not count to put the window in: kernels are timed before the first step then.
 */
export function switchStep({ skip, epochs }: Schedule, unit: number, { model, compile: { autotune } }: Config): number {
  return model === null || autotune === null || epochs || skip === 0 ? 0 : roundUp(autotune.stop, unit);
}

/** Steps of an arm's block, in whole units. */
export function blockSteps(schedule: Schedule, unit: number, round: number): number {
  const { steps, epochs } = schedule;
  const counted = epochs && round === 0 ? steps - warmUpSteps(schedule, unit).least : steps;
  return roundUp(counted, unit);
}
