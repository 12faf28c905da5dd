import { phaseSeries, stepPhases } from "../../analysis/step_statistics.ts";
import { type Phase, phasesNamed } from "../../record/phases.ts";
import type { Block } from "../../result/schema.ts";
import { MISSING } from "../format.ts";
import { formatG } from "../printf.ts";

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
