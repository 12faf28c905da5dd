import { formatG, MISSING } from "../format.ts";
import { allReduceLines, propagationLines } from "../profile/phases.ts";
import { nameText } from "../plain_text.ts";
import { opName } from "./names.ts";
import { type DialectRenderer, fusedNotes } from "./renderer.ts";

/**
 * Renders the output of SINGA's `PrintTimeProfiling`: the two propagations at level 1, every op in step order at level 2, and the
 * all-reduces of ranks at level 3.
 * Times are in seconds per step.
 */
export const renderSinga: DialectRenderer = (variant, _page, { verbosity }) => {
  const { blocks, ops } = variant;
  const lines = verbosity === 1 ? propagationLines(blocks) : ops.map((op, i) => {
    const time = op.mean === null ? MISSING : formatG(op.mean / 1000);
    return `OP_ID${i}. ${nameText(opName("singa", op), 80)} : ${time} sec`;
  });
  const reduces = verbosity === 3 ? allReduceLines(variant, ops.length) : [];
  return { lines: ["Time Profiling:", ...lines, ...reduces], notes: verbosity === 1 ? [] : fusedNotes(variant) };
};
