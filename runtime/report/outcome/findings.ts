import { shellWord } from "../../core/shell_word.ts";
import type { Finding, Result } from "../../result/schema.ts";
import { formatOverride } from "../../scenario/override.ts";
import { changesText } from "../differences.ts";
import { formatRatio } from "../format.ts";
import { type Page, quiet } from "../page.ts";
import { clip, namesInProse, printable } from "../plain_text.ts";
import { wrap } from "../wrap.ts";

/** Findings shown without `--advice`. */
const MAX_BRIEF = 3;

/** Finding with the variants that share it. */
export interface NamedFinding {
  readonly variants: readonly string[];
  readonly finding: Finding;
}

/** Returns the findings of all variants by gain; a finding that several share appears once, with the largest gain. */
export function rankedFindings({ variants }: Result): NamedFinding[] {
  const all = variants.flatMap(({ name, findings, attached }) =>
    // Programs share no code, and so no advice
    findings.map((finding) => ({ name, finding, program: attached === undefined ? null : name }))
  );
  const groups = Map.groupBy(
    all,
    ({ finding: { kind, changes }, program }) => JSON.stringify([kind, changes, program]),
  );
  return [...groups.values()].map((group) => ({
    variants: group.map(({ name }) => name),
    finding: group.map(({ finding }) => finding).reduce((best, one) => gainOf(one) > gainOf(best) ? one : best),
  })).toSorted((a, b) => gainOf(b.finding) - gainOf(a.finding) || rank(b.finding) - rank(a.finding));
}

/** Renders the advice: at most three lines, or every finding with its evidence. Empty without findings. */
export function renderFindings(page: Page, result: Result, { all }: { all: boolean }): string[] {
  const ranked = rankedFindings(result);
  if (ranked.length === 0) return [];
  const shown = all ? ranked : ranked.slice(0, MAX_BRIEF);
  const count = shown.length < ranked.length ? ` (${shown.length} of ${ranked.length})` : "";
  const more = all || !page.flags ? "" : "; --advice shows the evidence";
  const title = wrap(`Advice, by predicted gain${count}${more}`, page.width).map((line) => page.paint(line, "heading"));
  return [...title, ...shown.flatMap((one) => all ? withEvidence(page, one) : oneLine(page, one))];
}

/** Renders one line: `×1.45  loader.numWorkers 0 -> 2 (baseline): the training loop waits for batches`. */
function oneLine({ paint, width }: Page, { variants, finding }: NamedFinding): string[] {
  const what = `${changesText(finding.changes)} (${namesInProse(variants, 2)}): ${finding.message}`.trimStart();
  const line = clip(printable(`${gainText(finding)}  ${what}`), width);
  return [finding.severity === "warning" ? paint(line, "warning") : line];
}

function withEvidence(page: Page, { variants, finding }: NamedFinding): string[] {
  const { message, evidence, changes, predicted, severity } = finding;
  const head = wrap(`${gainText(finding)}  ${message} (${namesInProse(variants)})`, page.width, 7);
  const below = [
    ...evidence.map(({ label, value, where }) => `${label}: ${value} (${where})`),
    changes.length === 0
      ? `needs a change to the ${evidence.some(({ where }) => where === "program") ? "program" : "script"}`
      : `try: ${changes.map(({ path, to }) => shellWord(formatOverride(path, to))).join(" ")}`,
    predicted === null ? null : `predicted ${formatRatio(predicted.gain)}: ${predicted.reasoning}`,
  ].filter((line) => line !== null);
  return [
    ...head.map((line) => severity === "warning" ? page.paint(line, "warning") : line),
    ...below.flatMap((line) => quiet(page, `       ${line}`, 9)),
  ];
}

/** Formats the predicted gain; a dash where there is no prediction. */
export function gainText({ predicted }: Finding): string {
  return predicted === null ? "–    " : formatRatio(predicted.gain);
}

function gainOf({ predicted }: Finding): number {
  return predicted?.gain ?? 0;
}

function rank({ severity }: Finding): number {
  return severity === "warning" ? 1 : 0;
}
