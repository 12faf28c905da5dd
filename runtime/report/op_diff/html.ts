import type { OpDiff } from "../../analysis/op_diff/op_diff.ts";
import type { DiffUnit } from "../../analysis/op_diff/side.ts";
import { nameInProse } from "../plain_text.ts";
import { staticPage, staticTable } from "../static_page.ts";
import { diffSumsTable, diffTable } from "./tables.ts";

/**
 * Renders a difference with all its rows as a page.
 *
 * @param facts sentences about the two sides, such as the differences of their environments
 */
export function renderOpDiffHtml(diff: OpDiff, by: DiffUnit, facts: readonly string[]): string {
  const [a, b] = diff.labels.map((label) => nameInProse(label));
  const title = `${b} against ${a}`;
  return staticPage({
    title,
    about: facts,
    groups: [{
      title: "",
      sections: [staticTable(diffSumsTable(diff)), staticTable(diffTable(diff, { by, top: null }))],
    }],
  });
}
