import { shellWord } from "../../core/shell_word.ts";
import type { Finding, Result } from "../../result/schema.ts";
import { formatOverride } from "../../scenario/override.ts";
import { changesText } from "../changes.ts";
import { formatRatio } from "../format.ts";
import { type Page, quiet } from "../page.ts";
import { clip, namesInProse, printable } from "../plain_text.ts";
import { wrap } from "../wrap.ts";

/** Without `--advice` no more than the most valuable are shown. */
const MOST_BRIEF = 3;

/** A finding and the variants that it was made of. */
export interface NamedFinding {
  readonly variants: readonly string[];
  readonly finding: Finding;
}

/** The findings of all variants, the most valuable first; what several share is one, with the largest gain. */
export function rankedFindings({ variants }: Result): NamedFinding[] {
  const all = variants.flatMap(({ name, findings }) => findings.map((finding) => ({ name, finding })));
  const groups = Map.groupBy(all, ({ finding: { kind, changes } }) => JSON.stringify([kind, changes]));
  return [...groups.values()].map((group) => ({
    variants: group.map(({ name }) => name),
    finding: group.map(({ finding }) => finding).reduce((best, one) => gainOf(one) > gainOf(best) ? one : best),
  })).toSorted((a, b) => gainOf(b.finding) - gainOf(a.finding) || rank(b.finding) - rank(a.finding));
}

/** What could be done about it: at most three lines, or each finding with its evidence. Nothing without findings. */
export function renderFindings(page: Page, result: Result, { all }: { all: boolean }): string[] {
  const ranked = rankedFindings(result);
  if (ranked.length === 0) return [];
  const shown = all ? ranked : ranked.slice(0, MOST_BRIEF);
  const count = shown.length < ranked.length ? `, the first ${shown.length} of ${ranked.length}` : "";
  const more = all ? "" : ", --advice tells why";
  const title = page.paint(`Advice, by predicted gain${count}${more}`, "heading");
  return [title, ...shown.flatMap((one) => all ? whole(page, one) : brief(page, one))];
}

/** `×1.45  loader.numWorkers 0 -> 2 (baseline): the training loop waits for batches`. */
function brief({ paint, width }: Page, { variants, finding }: NamedFinding): string[] {
  const what = `${changesText(finding.changes)} (${namesInProse(variants, 2)}): ${finding.message}`.trimStart();
  const line = clip(printable(`${gainText(finding)}  ${what}`), width);
  return [finding.severity === "warning" ? paint(line, "warning") : line];
}

function whole(page: Page, { variants, finding }: NamedFinding): string[] {
  const { message, evidence, changes, predicted, severity } = finding;
  const head = wrap(`${gainText(finding)}  ${message} (${namesInProse(variants)})`, page.width, 7);
  const below = [
    ...evidence.map(({ label, value, where }) => `${label}: ${value} (${where})`),
    changes.length === 0
      ? "to change in the script itself"
      : `try: ${changes.map(({ path, to }) => shellWord(formatOverride(path, to))).join(" ")}`,
    predicted === null ? null : `predicted ${formatRatio(predicted.gain)}: ${predicted.reasoning}`,
  ].filter((line) => line !== null);
  return [
    ...head.map((line) => severity === "warning" ? page.paint(line, "warning") : line),
    ...below.flatMap((line) => quiet(page, `       ${line}`, 9)),
  ];
}

/** The gain that was predicted; a dash where none was. */
export function gainText({ predicted }: Finding): string {
  return predicted === null ? "–    " : formatRatio(predicted.gain);
}

function gainOf({ predicted }: Finding): number {
  return predicted?.gain ?? 0;
}

function rank({ severity }: Finding): number {
  return severity === "warning" ? 1 : 0;
}
