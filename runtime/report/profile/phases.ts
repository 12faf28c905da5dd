import { stepSeries } from "../../analysis/step_statistics.ts";
import type { Block } from "../../result/schema.ts";
import { MISSING } from "../format.ts";
import { formatG } from "../printf.ts";

/** The phases under the names of SINGA's first level. */
const PHASES = [["Forward Propagation", "forward"], ["Backward Propagation", "backward"], [
  "Update",
  "update",
]] as const;

/** `Forward Propagation Time : 0.0409127 sec`: means over the measured steps. */
function phaseLine([title, phase]: (typeof PHASES)[number], blocks: readonly Block[]): string {
  const { spread } = stepSeries(blocks, phase);
  return `${title} Time : ${spread === null ? MISSING : formatG(spread.mean / 1000)} sec`;
}

/** The mean times of the phases, a line for each. */
export function phaseLines(blocks: readonly Block[]): string[] {
  return PHASES.map((phase) => phaseLine(phase, blocks));
}

/** Forward and backward alone, as SINGA has them. */
export function propagationLines(blocks: readonly Block[]): string[] {
  return PHASES.slice(0, 2).map((phase) => phaseLine(phase, blocks));
}
