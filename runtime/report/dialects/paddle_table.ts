import type { Page } from "../page.ts";
import { textWidth } from "../text_width.ts";

/** Column of Paddle's tables, at least `width` wide where that fits. */
export interface PaddleColumn {
  heading: string;
  width: number;
  /** Order in which columns are dropped when the table is too wide, lowest first; columns without one stay. */
  dropFirst?: number;
}

/** Row of cells, a second heading in the middle, or text across the table. */
export type PaddleRow = readonly string[] | { again: readonly string[] } | { across: string };

const GAP = "  ";

/**
 * Renders a table in the layout of Paddle's profiler: the title in dashes, left-aligned cells, rules of dashes. In a
 * terminal, columns shrink to their contents or are left out to fit.
 */
export function paddleTable(
  page: Page,
  title: string,
  columns: readonly PaddleColumn[],
  rows: readonly PaddleRow[],
): { lines: string[]; dropped: string[] } {
  const cellsOf = (row: PaddleRow) => "across" in row ? [] : "again" in row ? row.again : row;
  const content = columns.map(({ heading }, i) =>
    rows.reduce((most, row) => Math.max(most, textWidth(cellsOf(row)[i] ?? "")), textWidth(heading))
  );
  const total = (kept: readonly number[], widths: readonly number[]) =>
    kept.reduce((sum, i) => sum + widths[i]!, 0) + GAP.length * (kept.length - 1);
  let kept = columns.map((_, i) => i);
  let widths = columns.map(({ width }, i) => Math.max(width, content[i]!));
  const dropped: string[] = [];
  if (page.drop && total(kept, widths) > page.columns) {
    widths = content;
    while (total(kept, widths) > page.columns) {
      const first = kept.filter((i) => columns[i]!.dropFirst !== undefined)
        .toSorted((a, b) => columns[a]!.dropFirst! - columns[b]!.dropFirst!)[0];
      if (first === undefined) break;
      kept = kept.filter((i) => i !== first);
      dropped.push(columns[first]!.heading);
    }
  }
  const length = total(kept, widths);
  const line = (cells: readonly string[]) => kept.map((i) => pad(cells[i] ?? "", widths[i]!)).join(GAP).trimEnd();
  const rule = kept.map((i) => "-".repeat(widths[i]!)).join(GAP);
  const body = rows.flatMap((row) =>
    "across" in row ? [centre(row.across, length)] : "again" in row ? [rule, line(row.again), rule] : [line(row)]
  );
  const headings = columns.map(({ heading }) => heading);
  return { lines: [centre(title, length), "Time unit: ms", rule, line(headings), rule, ...body, rule], dropped };
}

/** Centres text in dashes, the odd one at the end. */
function centre(text: string, width: number): string {
  const dashes = Math.max(0, width - textWidth(text));
  const before = Math.floor(dashes / 2);
  return "-".repeat(before) + text + "-".repeat(dashes - before);
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}
