import type { OpDiff } from "../../analysis/op_diff/op_diff.ts";
import { MISSING } from "../format.ts";
import { markdownList, markdownSection } from "../markdown/text.ts";
import { createPage, type LookOptions, renderSection } from "../page.ts";
import { wrap } from "../wrap.ts";
import { diffSumsTable, diffTable, type DiffTableOptions } from "./tables.ts";

/** A difference to show, and how much of it. */
export interface ShownDiff extends DiffTableOptions {
  /** The difference, or the reason why there is none. */
  readonly diff: OpDiff | string;
}

/** Renders a difference for a terminal. */
export function renderOpDiff({ diff, ...options }: ShownDiff, look: LookOptions): string {
  const page = createPage(look);
  if (typeof diff === "string") return `${wrap(missing(diff), page.width).join("\n")}\n`;
  const sections = [renderSection(page, diffTable(diff, options)), renderSection(page, diffSumsTable(diff))];
  return sections.filter((lines) => lines.length > 0).map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/** Renders a difference in GitHub-flavoured Markdown, one list of lines per section. */
export function markdownOpDiff({ diff, ...options }: ShownDiff): string[][] {
  if (typeof diff === "string") return [markdownList([missing(diff)])];
  return [markdownSection(diffTable(diff, options)), markdownSection(diffSumsTable(diff))];
}

function missing(reason: string): string {
  return `Difference by op: ${MISSING} ${reason}`;
}
