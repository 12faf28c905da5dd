import { phaseSeries, stepPhases } from "../../analysis/step_statistics.ts";
import { type Phase, phasesNamed } from "../../record/phases.ts";
import type { Block, PhaseSplit, VariantResult } from "../../result/schema.ts";
import { formatCounted, formatG, MISSING } from "../format.ts";
import { residualCauses, stallLines } from "./trust.ts";
import { recomputedNotes } from "./ops.ts";
import { figures, percentages, type TableSpec, words } from "../spec.ts";

/** Names that SINGA prints. */
const TITLES: Readonly<Record<string, string>> = {
  forward: "Forward Propagation",
  backward: "Backward Propagation",
};

/** Formats the mean over the measured steps: `Forward Propagation Time : 0.0409127 sec`. */
function phaseLine({ name, label }: Phase, blocks: readonly Block[]): string {
  const { spread } = phaseSeries(blocks, name);
  const title = TITLES[name] ?? label.charAt(0).toUpperCase() + label.slice(1);
  return `${title} Time : ${spread === null ? MISSING : formatG(spread.mean / 1000)} sec`;
}

/** Returns one line with the mean time of each phase. */
export function phaseLines(blocks: readonly Block[]): string[] {
  return stepPhases(blocks).map((phase) => phaseLine(phase, blocks));
}

/** Returns the lines of forward and backward, as SINGA prints them. */
export function propagationLines(blocks: readonly Block[]): string[] {
  return phasesNamed(["forward", "backward"]).map((phase) => phaseLine(phase, blocks));
}

/** Returns the table of phases of a profiled step, divided into ops and the residual time between them. */
export function phasesTable({ profile, ops }: VariantResult): TableSpec<PhaseSplit> {
  const phases = profile?.phases ?? [];
  const whole = phases.reduce((sum, { interval }) => sum + Math.max(0, interval), 0);
  return {
    title: `Phases: medians over ${profile?.steps ?? 0} profiled steps`,
    columns: [
      words("phase", ({ phase }) => phase),
      figures("interval", ({ interval }) => interval, { unit: "ms" }),
      figures("ops", ({ ops }) => ops, { unit: "ms" }),
      figures("residual", ({ residual }) => residual, { unit: "ms", help: "Time between the ops" }),
      percentages("share of the step", ({ interval }) => whole > 0 ? interval / whole : null),
      figures("mean", ({ mean }) => mean, { unit: "ms", help: "Mean interval, which stalls lengthen" }),
      figures("max", ({ max }) => max, { unit: "ms", help: "Longest interval" }),
    ],
    rows: phases,
    notes: profile === null
      ? []
      : [...recomputedNotes({ ops }), ...stallLines(profile, ops), ...residualCauses(profile)],
  };
}

/**
 * Returns a line for each all-reduce of a step, in the order of the backward pass: bytes, ranks and mean time, as SINGA prints
 * distributed ops at verbosity 3. Empty on one rank.
 *
 * @param first number of the first op, after those of the step
 */
export function allReduceLines({ ranks }: Pick<VariantResult, "ranks">, first: number): string[] {
  return (ranks?.buckets ?? []).map(({ bytes, parameters, calls, total }, i) => {
    const time = calls === 0 ? MISSING : formatG(total / calls / 1000);
    const what = `${bytes} bytes of ${formatCounted(parameters, "parameter")}, ${ranks!.size} ranks`;
    return `OP_ID${first + i}. all_reduce (${what}) : ${time} sec`;
  });
}
