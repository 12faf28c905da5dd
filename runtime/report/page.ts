/**
 * What all parts of a profile report share: how wide they are, and tables with a title above and notes below.
 *
 * @module
 */
import { createPaint, type Paint } from "./color.ts";
import { MISSING } from "./format.ts";
import { type Cell, type Column, renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

/** Prose is not set wider than this, nor a table that goes to no terminal if it can be helped. */
const PROSE_WIDTH = 100;

/** Names are cut at this length where nothing else limits them. */
const LONGEST_NAME = 120;

export interface LookOptions {
  /** Columns of the terminal; null when the output is no terminal and nothing has to be left out. */
  columns: number | null;
  color: boolean;
}

export interface Page {
  /** Of tables. */
  readonly columns: number;
  /** Whether columns of tables may be left out to fit. */
  readonly drop: boolean;
  /** Of prose. */
  readonly width: number;
  readonly paint: Paint;
}

/** A column and what it shows of a row; null stands for what was not measured. */
export interface DataColumn<T> extends Column {
  cell(row: T): Cell | string | null;
}

export interface Section<T> {
  title: string;
  columns: readonly DataColumn<T>[];
  rows: readonly T[];
  /** Words below a row; null for none. */
  under?: (row: T) => string | null;
  /** Sentences below the table. */
  notes?: readonly string[];
}

export function createPage({ columns, color }: LookOptions): Page {
  return {
    columns: columns ?? PROSE_WIDTH,
    drop: columns !== null,
    width: Math.min(columns ?? PROSE_WIDTH, PROSE_WIDTH),
    paint: createPaint(color),
  };
}

/** Columns that a name may take beside others that need `others` of them. */
export function nameWidth({ columns, drop }: Page, others: number): number {
  return drop ? Math.min(LONGEST_NAME, Math.max(16, columns - others)) : LONGEST_NAME;
}

/** A title, the table below it, what had to be left out, and notes. Without rows there is nothing. */
export function renderSection<T>(page: Page, { title, columns, rows, under, notes = [] }: Section<T>): string[] {
  if (rows.length === 0) return [];
  const { paint, width } = page;
  const table = renderTable(columns, rows.map((row) => columns.map((column) => toCell(column.cell(row)))), {
    width: page.columns,
    drop: page.drop,
    paint,
    ...(under === undefined ? {} : {
      under: (row) => {
        const words = under(rows[row]!);
        return words === null ? [] : quiet(page, `    ${words}`, 6);
      },
    }),
  });
  const dropped = table.dropped.length === 0
    ? []
    : [`not shown in ${page.columns} columns: ${table.dropped.join(", ")}`];
  return [
    ...wrap(title, width).map((line) => paint(line, "heading")),
    ...table.lines,
    ...[...dropped, ...notes].flatMap((note) => quiet(page, note)),
  ];
}

/** Lines of a sentence that stands back. */
export function quiet({ paint, width }: Page, text: string, indent = 3): string[] {
  return wrap(text, width, indent).map((line) => paint(line, "quiet"));
}

function toCell(cell: Cell | string | null): Cell {
  return cell === null ? { text: MISSING } : typeof cell === "string" ? { text: cell } : cell;
}
