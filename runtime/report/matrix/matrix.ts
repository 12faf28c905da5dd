import type { Result } from "../../result/schema.ts";
import { createPage, type LookOptions, renderRows } from "../page.ts";
import { type FootOptions, matrixFoot } from "./foot.ts";
import { matrixHead } from "./head.ts";
import { speedTable } from "./speed.ts";
import { timesTable } from "./times.ts";

export interface MatrixOptions extends LookOptions, Partial<FootOptions> {}

/** Renders the comparison of a result's variants as text: a table of speeds, then one of the time of a step. */
export function renderMatrix(result: Result, { explain = false, ...look }: MatrixOptions): string {
  const page = createPage(look);
  const tables = [speedTable(result), timesTable(result)].filter(({ rows }) => rows.length > 0)
    .map((table) => renderRows(page, table));
  const dropped = tables.flatMap((table) => table.dropped);
  const parts = [
    matrixHead(result, page),
    ...tables.map(({ lines }) => lines),
    matrixFoot(result, page, { dropped, explain }),
  ];
  return parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")).join("\n\n") + "\n";
}
