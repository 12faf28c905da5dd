import { median, medianInterval } from "../../core/statistics.ts";
import type { Step } from "./steps.ts";

/** Slowdown of the program by timing. */
export interface TimingCost {
  /** Median over pairs of neighbouring steps of timed wall time / untimed wall time. */
  readonly ratio: number;
  /** 95 % interval of the median; null with fewer than six pairs. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly pairs: number;
}

/** Compares timed steps with the untimed steps beside them; null without such pairs. */
export function timingCost(steps: readonly Step[]): TimingCost | null {
  const ratios = steps.flatMap((step, i) => {
    if (step.timing !== "timed" || step.warmUp) return [];
    const beside = [steps[i - 1], steps[i + 1]].filter((other) => other?.timing === "untimed" && !other.warmUp);
    const wall = beside.reduce((sum, other) => sum + other!.wall, 0) / beside.length;
    return wall > 0 ? [step.wall / wall] : [];
  });
  if (ratios.length === 0) return null;
  return { ratio: median(ratios), interval: medianInterval(ratios), pairs: ratios.length };
}
