import type { Ladder, Result } from "../../result/schema.ts";
import { createPage, type LookOptions, type Page, renderSection } from "../page.ts";
import { printable } from "../plain_text.ts";
import { wrap } from "../wrap.ts";
import { blocksTable } from "./blocks.ts";
import { ablationsTable, bottleneckTable } from "./bottleneck.ts";
import { renderFindings } from "./findings.ts";
import { ladderTable } from "./ladder.ts";
import { RUN_SECTIONS, tablesOfSection } from "../run_sections.ts";

export interface OutcomeOptions extends LookOptions {
  /** Shows every block. */
  raw: boolean;
  /** Shows every finding with its evidence, instead of one line each for the most valuable. */
  advice: boolean;
  /** Shows what bounds each step also where only rules say so, which the matrix has as a word. */
  explain?: boolean;
}

/** Renders the sections above the matrix, each with an empty line after it: the Pareto front, effects, targets, advice, the ladder and what bounds a step. */
export function renderOutcome(result: Result, { raw, advice, explain = false, ...look }: OutcomeOptions): string {
  const page = createPage(look);
  const ablated = result.variants.some(({ bottleneck }) => bottleneck?.byArms != null);
  const parts = [
    raw ? renderSection(page, blocksTable(result)) : [],
    ...RUN_SECTIONS.flatMap((section) => tablesOfSection(section, result, !raw))
      .map((table) => renderSection(page, table)),
    renderFindings(page, result, { all: advice }),
    result.ladder === null ? [] : renderLadder(page, result.ladder),
    explain || ablated ? renderSection(page, bottleneckTable(result)) : [],
    renderSection(page, ablationsTable(result)),
  ];
  return parts.filter((lines) => lines.length > 0).map((lines) => `${lines.join("\n")}\n\n`).join("");
}

/** Renders the ladder, and below it the patch that applies the kept settings to the script. */
function renderLadder(page: Page, ladder: Ladder): string[] {
  const patch = ladder.patch === null
    ? wrap("patch: –, the kept settings cannot be written as a patch", page.width)
    : ["Patch for the script:", ...ladder.patch.trimEnd().split("\n").map(patchLine)];
  const [title = "", ...rest] = patch;
  const kept = ladder.rungs.some((rung) => rung.kept);
  return [...renderSection(page, ladderTable(ladder)), ...kept ? ["", page.paint(title, "heading"), ...rest] : []];
}

/** Returns a line of the patch uncut and with its tabs, since users copy it. */
function patchLine(line: string): string {
  return line.split("\t").map(printable).join("\t");
}
