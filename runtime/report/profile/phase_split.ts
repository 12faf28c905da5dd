import type { PhaseSplit, VariantResult } from "../../result/schema.ts";
import { figures, percentages, type TableSpec, words } from "../spec.ts";

/** Returns the table of phases of a profiled step, divided into ops and the residual time between them. */
export function phasesTable({ profile }: VariantResult): TableSpec<PhaseSplit> {
  const phases = profile?.phases ?? [];
  const whole = phases.reduce((sum, { interval }) => sum + Math.max(0, interval), 0);
  return {
    title: `Phases: means over ${profile?.steps ?? 0} profiled steps`,
    columns: [
      words("phase", ({ phase }) => phase),
      figures("interval", ({ interval }) => interval, { unit: "ms" }),
      figures("ops", ({ ops }) => ops, { unit: "ms" }),
      figures("residual", ({ residual }) => residual, { unit: "ms", help: "Time between the ops" }),
      percentages("share of the step", ({ interval }) => whole > 0 ? interval / whole : null),
    ],
    rows: phases,
  };
}
