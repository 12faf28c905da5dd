import type { AttachedDevice } from "../../result/attach_result.ts";
import { PERCENTS } from "../../core/percentile.ts";
import { formatCounted } from "../format.ts";
import { PERCENTILE_NOTE, percentileText } from "../outcome/latency.ts";
import { figures, type TableSpec, words } from "../spec.ts";

/** Table of the percentiles of a program's step time; null without steps. */
export function percentilesTable(
  { percentiles = [], steadySteps, timedSteps }: AttachedDevice,
): TableSpec<typeof percentiles> | null {
  if (percentiles.length === 0) return null;
  const untimed = steadySteps - timedSteps;
  return {
    title: "Percentiles of the step time, in ms",
    columns: [
      words("of", () => formatCounted(untimed > 0 ? untimed : steadySteps, untimed > 0 ? "untimed step" : "step")),
      ...PERCENTS.map((percent) => {
        const one = percentiles.find((one) => one.percent === percent)!;
        return figures<typeof percentiles>(`p${percent}`, () => one.value, {
          unit: "ms",
          format: () => percentileText(one),
        });
      }),
    ],
    rows: [percentiles],
    notes: [PERCENTILE_NOTE],
  };
}
