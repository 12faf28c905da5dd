import type { Result } from "../../result/schema.ts";
import { headlineText } from "../headline.ts";
import { createPage, type LookOptions, renderRows } from "../page.ts";
import { type FootOptions, matrixFoot } from "./foot.ts";
import { matrixHead } from "./head.ts";
import { speedTable } from "./speed.ts";
import { timesTable } from "./times.ts";
import { wrap } from "../wrap.ts";

export interface MatrixOptions extends LookOptions, Partial<FootOptions> {}

/**
 * Renders the comparison of a result's variants as text: a table of speeds, one of the time of a step, notes, and the
 * headline as the last line.
 */
export function renderMatrix(result: Result, { explain = false, ...look }: MatrixOptions): string {
  const page = createPage(look);
  const headline = headlineText(result);
  const tables = [speedTable(result), timesTable(result)].filter(({ rows }) => rows.length > 0)
    .map((table) => renderRows(page, table));
  const dropped = tables.flatMap((table) => table.dropped);
  const parts = [
    matrixHead(result, page),
    ...tables.map(({ lines }) => lines),
    matrixFoot(result, page, { dropped, explain }),
    headline === "" ? [] : wrap(headline, page.width).map((line) => page.paint(line, "heading")),
  ];
  return parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n") + "\n";
}
