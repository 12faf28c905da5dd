import type { Step, TimingCost } from "../../result/attach_result.ts";
import { median, medianInterval } from "../../core/statistics.ts";

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
