import { renderTuning } from "../report/autotune.ts";
import { renderDialect } from "../report/dialects/dialect.ts";
import { renderMatrix } from "../report/matrix/matrix.ts";
import { renderOpDiff } from "../report/op_diff/text.ts";
import { renderOutcome } from "../report/outcome/outcome.ts";
import { renderPipelines } from "../report/pipeline.ts";
import { renderProfile } from "../report/profile/profile.ts";
import type { Result } from "../result/schema.ts";
import { shownDiffs } from "./diff/diffs.ts";
import { profileView, type ViewFlags } from "./profile_view.ts";
import { lookOfStdout } from "./terminal.ts";

/**
 * Renders the parts that the flags select, and the matrix with the headline last, where the eye is. The log of another tool
 * stands alone unless a flag asks for more.
 */
export function resultText(result: Result, flags: ViewFlags): string {
  const look = lookOfStdout(flags.color);
  const { dialect, ...view } = profileView(flags);
  const options = { ...look, ...view };
  const pipelines = flags.pipeline ? renderPipelines(result, look) : "";
  const tuning = (flags.verbosity ?? 0) > 0
    ? renderTuning(result, { ...look, candidates: (flags.verbosity ?? 0) >= 2 })
    : "";
  const explain = flags.explain === true;
  const parts = [
    tuning === "" ? "" : `\n${tuning}`,
    pipelines === "" ? "" : `\n${pipelines}`,
    dialect === null ? renderProfile(result, options) : renderDialect(dialect, result, options),
    ...shownDiffs(result, flags).map((shown) => `\n${renderOpDiff(shown, look)}`),
  ];
  const unasked = [flags.raw, flags.advice, flags.explain, flags.pipeline, flags.diff].every((flag) => !flag);
  if (dialect !== null && unasked) return `${parts.join("").replace(/^\n/, "")}`;
  const details = parts.join("").replace(/^\n/, "");
  return (details === "" ? "" : `${details}\n`) +
    renderOutcome(result, { ...look, explain, raw: flags.raw === true, advice: flags.advice === true }) +
    renderMatrix(result, { ...look, explain });
}
