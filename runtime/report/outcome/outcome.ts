import type { Ladder, Result } from "../../result/schema.ts";
import { createPage, type LookOptions, type Page, renderSection } from "../page.ts";
import { printable } from "../plain_text.ts";
import { blocksTable } from "./blocks.ts";
import { armsTable, bottleneckTable } from "./bottleneck.ts";
import { effectsTable } from "./effects.ts";
import { renderFindings } from "./findings.ts";
import { ladderTable } from "./ladder.ts";
import { targetTables } from "./target.ts";

export interface OutcomeOptions extends LookOptions {
  /** Every block. */
  raw: boolean;
  /** Every finding with its evidence, in place of the most valuable in a line each. */
  advice: boolean;
}

/** What follows from the matrix and stands below it: effects, targets, what bounds the steps, advice, the ladder. */
export function renderOutcome(result: Result, { raw, advice, ...look }: OutcomeOptions): string {
  const page = createPage(look);
  const parts = [
    raw ? renderSection(page, blocksTable(result)) : [],
    renderSection(page, effectsTable(result)),
    ...targetTables(result).map((table) => renderSection(page, table)),
    renderSection(page, bottleneckTable(result)),
    renderSection(page, armsTable(result)),
    renderFindings(page, result, { all: advice }),
    result.ladder === null ? [] : renderLadder(page, result.ladder),
  ];
  return parts.filter((lines) => lines.length > 0).map((lines) => `\n${lines.join("\n")}\n`).join("");
}

/** The ladder, with the patch that makes the script so below it. */
function renderLadder(page: Page, ladder: Ladder): string[] {
  const patch = ladder.patch === null
    ? ["patch: –, the kept settings cannot be written as one"]
    : ["Patch of the script:", ...ladder.patch.trimEnd().split("\n").map(patchLine)];
  const [title = "", ...rest] = patch;
  const kept = ladder.rungs.some((rung) => rung.kept);
  return [...renderSection(page, ladderTable(ladder)), ...kept ? ["", page.paint(title, "heading"), ...rest] : []];
}

/** Whole, since it is there to be copied; its tabs stay. */
function patchLine(line: string): string {
  return line.split("\t").map(printable).join("\t");
}
