import type { Result } from "../../result/schema.ts";
import { armsSection, bottleneckSection } from "./bottleneck.ts";
import { effectsSection } from "./effects.ts";
import { renderFindings } from "./findings.ts";
import { renderLadder } from "./ladder.ts";
import { createPage, type LookOptions, renderSection, type Section } from "../page.ts";
import { rawSection } from "./raw.ts";
import { targetSections } from "./target.ts";

export interface OutcomeOptions extends LookOptions {
  /** Every block. */
  raw: boolean;
  /** Every finding with its evidence, in place of the most valuable in a line each. */
  advice: boolean;
}

/** What follows from the matrix and stands below it: effects, targets, what bounds the steps, advice, the ladder. */
export function renderOutcome(result: Result, { raw, advice, ...look }: OutcomeOptions): string {
  const page = createPage(look);
  const section = <T>(made: Section<T> | null) => made === null ? [] : renderSection(page, made);
  const parts = [
    raw ? section(rawSection(result)) : [],
    section(effectsSection(result)),
    ...targetSections(result).map(section),
    section(bottleneckSection(result)),
    section(armsSection(result)),
    renderFindings(page, result, { all: advice }),
    result.ladder === null ? [] : renderLadder(page, result.ladder),
  ];
  return parts.filter((lines) => lines.length > 0).map((lines) => `\n${lines.join("\n")}\n`).join("");
}
