import type { Result } from "../result/schema.ts";
import { createPaint } from "./color.ts";
import { MISSING } from "./format.ts";
import { matrixColumns } from "./matrix_columns.ts";
import { matrixFoot } from "./matrix_foot.ts";
import { matrixHead } from "./matrix_head.ts";
import { MissingReasons } from "./missing.ts";
import { renderTable } from "./table.ts";

/** Prose is not set wider than this, nor a table that goes to no terminal if it can be helped. */
const PROSE_WIDTH = 100;

export interface MatrixOptions {
  /** Columns of the terminal; null when the output is no terminal and nothing has to be left out. */
  columns: number | null;
  color: boolean;
}

/** The comparison of a result's variants as text, a row for each. */
export function renderMatrix(result: Result, { columns, color }: MatrixOptions): string {
  const paint = createPaint(color);
  const width = Math.min(columns ?? PROSE_WIDTH, PROSE_WIDTH);
  const missing = new MissingReasons(result);
  const described = matrixColumns(result);
  const rows = result.variants.map((variant) =>
    described.map((column) => {
      const cell = column.cell(variant);
      if (cell === null) missing.add(column, variant);
      return cell ?? { text: MISSING };
    })
  );
  const table = renderTable(described, rows, { width: columns ?? PROSE_WIDTH, drop: columns !== null, paint });
  const foot = matrixFoot(result, { missing, dropped: table.dropped, width, paint });
  const parts = [matrixHead(result, width, paint), table.lines, foot].filter((lines) => lines.length > 0);
  return parts.map((lines) => lines.join("\n")).join("\n\n") + "\n";
}
