/**
 * Plots of a result, in the order of the report. A new plot takes a file and one line here.
 *
 * @module
 */
import { memoryTotals } from "../../analysis/memory_points.ts";
import type { Result } from "../../result/schema.ts";
import { blocksPlot } from "./blocks.ts";
import { effectsPlot, speedPlot } from "./intervals.ts";
import { ladderPlot } from "./ladder.ts";
import { memoryPlot } from "./memory.ts";
import { phasesPlot } from "./phases.ts";
import type { Plot } from "./plot.ts";
import type { Plotted } from "./plotted.ts";

const PLOTS: readonly ((of: Plotted) => Plot | null)[] = [
  speedPlot,
  blocksPlot,
  phasesPlot,
  memoryPlot,
  effectsPlot,
  ladderPlot,
];

/** Returns the plots of a result that have anything to show. */
export function plotsOf(result: Result): Plot[] {
  const variants = result.variants.map((variant) => ({
    ...variant,
    memoryOverStep: memoryTotals(variant.profile?.memory ?? []),
  }));
  return PLOTS.flatMap((plot) => plot({ ...result, variants }) ?? []);
}
