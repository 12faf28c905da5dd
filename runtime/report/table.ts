import type { Paint } from "./color.ts";
import { printable, shorten } from "./plain_text.ts";
import type { Cell, ColumnLayout as Column } from "./spec.ts";
import { textWidth } from "./text_width.ts";

/** Widest text of a cell, regardless of the terminal's width. */
const WIDEST_TEXT = 160;

const WIDEST_HEADING = 30;

/** Smallest width that names are cut to. */
const MIN_NAME = 8;

export interface TableOptions {
  /** Columns of the terminal. */
  width: number;
  /** Leaves columns out to fit the width. */
  drop: boolean;
  paint: Paint;
  /** Returns lines to print below a row. */
  under?: (row: number) => readonly string[];
}

export interface Table {
  lines: string[];
  /** Names of the columns that did not fit. */
  dropped: string[];
}

/**
 * Lays out cells under headings, two spaces apart, or one where that makes all columns fit. A table that is still too
 * wide has its texts broken, then columns dropped, then texts cut, where the columns allow it.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: TableOptions,
): Table {
  const { width, paint } = options;
  const measured = (broken: boolean) =>
    columns.map((column, i) => measure(column, rows.map((row) => row[i]!), { broken, most: WIDEST_TEXT }));
  const whole = measured(false);
  let kept = total(whole, 1) <= width ? whole : measured(true);
  const dropped: string[] = [];
  while (options.drop && total(kept, 1) > width) {
    const first = least(kept);
    if (first === undefined) break;
    kept = kept.filter((column) => column !== first);
    dropped.push(first.column.name);
  }
  if (options.drop && total(kept, 1) > width) kept = cutToFit(kept, width);
  const gap = " ".repeat(total(kept, 2) <= width ? 2 : 1);
  const rule = paint("─".repeat(total(kept, gap.length)), "quiet");
  const body = rows.flatMap((_, row) => [...renderRow(kept, row, gap, paint), ...options.under?.(row) ?? []]);
  return { lines: [...renderHeading(kept, gap, paint), rule, ...body], dropped };
}

/** Column whose texts are split into lines. */
interface Measured {
  column: Column;
  heading: readonly string[];
  cells: readonly (Cell & { lines: readonly string[] })[];
  markWidth: number;
  width: number;
  /** Texts are split at `breakAfter`. */
  broken: boolean;
}

function measure(
  column: Column,
  cells: readonly Cell[],
  { broken, most }: { broken: boolean; most: number },
): Measured {
  const markWidth = Math.max(0, ...cells.map((cell) => textWidth(cell.mark ?? "")));
  const cut = cells.map((cell) => {
    const text = shorten(printable(cell.text), WIDEST_TEXT);
    const lines = broken && column.breakAfter !== undefined ? split(text, column.breakAfter) : [text];
    return { ...cell, lines: lines.map((line) => shorten(line, most)) };
  });
  const heading = column.heading.map((line) => shorten(printable(line), WIDEST_HEADING));
  const texts = cut.flatMap(({ lines }) => lines.map((line) => textWidth(line) + markWidth));
  return {
    column,
    heading,
    cells: cut,
    broken,
    markWidth,
    width: Math.max(...texts, ...heading.map((line) => textWidth(line))),
  };
}

function split(text: string, sign: string): string[] {
  const parts = text.split(sign);
  return parts.map((part, i) => i === parts.length - 1 ? part : part + sign);
}

/** Cuts texts of the columns that allow it, the widest column first. */
function cutToFit(columns: readonly Measured[], width: number): Measured[] {
  const kept = [...columns];
  for (const measured of columns.filter(({ column }) => column.cut).toSorted((a, b) => b.width - a.width)) {
    const excess = total(kept, 1) - width;
    if (excess <= 0) break;
    const most = Math.max(MIN_NAME, measured.width - excess) - measured.markWidth;
    kept[kept.indexOf(measured)] = measure(measured.column, measured.cells, { broken: measured.broken, most });
  }
  return kept;
}

function renderHeading(columns: readonly Measured[], gap: string, paint: Paint): string[] {
  const height = Math.max(...columns.map(({ heading }) => heading.length));
  return Array.from({ length: height }, (_, line) => {
    const words = columns.map(({ column, heading, width }) => {
      return pad(heading[line - height + heading.length] ?? "", width, column.align);
    });
    return paint(words.join(gap).trimEnd(), "heading");
  });
}

function renderRow(columns: readonly Measured[], row: number, gap: string, paint: Paint): string[] {
  const height = Math.max(...columns.map(({ cells }) => cells[row]!.lines.length));
  return Array.from({ length: height }, (_, line) => {
    const words = columns.map(({ column, width, markWidth, cells }) => {
      const { lines, mark = "", tone } = cells[row]!;
      const text = lines[line] ?? "";
      const sign = line === lines.length - 1 ? mark : "";
      const padded = pad(text + sign + " ".repeat(markWidth - textWidth(sign)), width, column.align);
      return tone === undefined ? padded : padded.replace(text, () => paint(text, tone));
    });
    return words.join(gap).trimEnd();
  });
}

function total(columns: readonly Measured[], gap: number): number {
  return columns.reduce((sum, column) => sum + column.width, 0) + gap * (columns.length - 1);
}

function least(columns: readonly Measured[]): Measured | undefined {
  return columns.filter(({ column }) => column.dropFirst !== undefined)
    .toSorted((a, b) => a.column.dropFirst! - b.column.dropFirst!)[0];
}

function pad(text: string, width: number, align: "left" | "right"): string {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return align === "left" ? text + space : space + text;
}
