import type { Result } from "../../result/schema.ts";
import type { MatrixColumn } from "./column.ts";
import { MISSING } from "../format.ts";
import { matrixFoot } from "./foot.ts";
import { matrixHead } from "./head.ts";
import { speedColumns } from "./speed.ts";
import { timeColumns } from "./times.ts";
import { MissingReasons } from "../missing.ts";
import { createPage, type LookOptions } from "../page.ts";
import { renderTable } from "../table.ts";

/** The comparison of a result's variants as text, a row for each: first how fast they are, then where the time goes. */
export function renderMatrix(result: Result, look: LookOptions): string {
  const page = createPage(look);
  const { paint } = page;
  const missing = new MissingReasons(result);
  const dropped: string[] = [];
  const band = (columns: readonly MatrixColumn[]): string[] => {
    const rows = matrixRows(result, columns, missing);
    const table = renderTable(columns, rows, { width: page.columns, drop: page.drop, paint });
    dropped.push(...table.dropped);
    return table.lines;
  };
  const speed = band(speedColumns(result));
  const times = band(timeColumns(result));
  const foot = matrixFoot(result, { missing, dropped, columns: page.columns, width: page.width, paint });
  const parts = [matrixHead(result, page.width, paint), speed, times, foot].filter((lines) => lines.length > 0);
  return parts.map((lines) => lines.join("\n")).join("\n\n") + "\n";
}

/** The cells of some columns, a row for each variant; why one is empty is noted in `missing`. */
export function matrixRows(result: Result, columns: readonly MatrixColumn[], missing: MissingReasons) {
  return result.variants.map((variant) =>
    columns.map((column) => {
      const cell = column.cell(variant);
      if (cell === null) missing.add(column, variant);
      return cell ?? { text: MISSING };
    })
  );
}
