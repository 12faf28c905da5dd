/**
 * Layout of reports in a terminal: its width, and tables with a title above and notes below.
 *
 * @module
 */
import { createPaint, type Paint } from "./color.ts";
import { nameText, printable } from "./plain_text.ts";
import { type Cell, cellOf, type Column, columnsFor, type TableSpec } from "./spec.ts";
import { renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

/** Widest prose, and widest table outside a terminal if possible. */
const PROSE_WIDTH = 100;

/** Longest name in print. */
const LONGEST_NAME = 120;

export interface LookOptions {
  /** Columns of the terminal; null where the output is not a terminal and all columns are shown. */
  readonly columns: number | null;
  readonly color: boolean;
  /** Names the flags of the command line that show more. Default false, since a program or notebook has none. */
  readonly flags?: boolean;
}

export interface Page {
  /** Width of tables. */
  readonly columns: number;
  /** Leaves out table columns that do not fit. */
  readonly drop: boolean;
  /** Width of prose. */
  readonly width: number;
  readonly paint: Paint;
  /** See {@linkcode LookOptions.flags}. */
  readonly flags: boolean;
}

export function createPage({ columns, color, flags = false }: LookOptions): Page {
  return {
    flags,
    columns: columns ?? PROSE_WIDTH,
    drop: columns !== null,
    width: Math.min(columns ?? PROSE_WIDTH, PROSE_WIDTH),
    paint: createPaint(color),
  };
}

/** Returns the width for names beside columns that take `others`. */
function nameWidth({ columns, drop }: Page, others: number): number {
  return drop ? Math.min(LONGEST_NAME, Math.max(16, columns - others)) : LONGEST_NAME;
}

/** Renders a title, its table and its notes; empty without rows. */
export function renderSection<Row>(page: Page, spec: TableSpec<Row>): string[] {
  if (spec.rows.length === 0) return [];
  const { paint, width } = page;
  const { lines, dropped } = renderRows(page, spec);
  return [
    ...wrap(spec.title, width).map((line) => paint(line, "heading")),
    ...lines,
    ...[...droppedNote(page, dropped), ...spec.notes ?? []].flatMap((note) => quiet(page, note)),
  ];
}

/**
 * Renders the table, and returns the names of the columns that did not fit.
 *
 * @param under returns lines to print below a row
 */
export function renderRows<Row>(
  page: Page,
  spec: TableSpec<Row>,
  under: (row: Row) => readonly string[] = (row) => wordsBelow(page, spec, row),
): { lines: string[]; dropped: string[] } {
  const columns = columnsFor(spec, "lines").filter(({ below }) => below === undefined);
  return renderTable(columns, spec.rows.map((row) => columns.map((column) => fitted(page, column, row))), {
    width: page.columns,
    drop: page.drop,
    paint: page.paint,
    under: (row) => under(spec.rows[row]!),
  });
}

/** Returns the lines below a row: names that were cut, and columns that a terminal prints as text. */
function wordsBelow<Row>(page: Page, spec: TableSpec<Row>, row: Row): string[] {
  const columns = columnsFor(spec, "lines");
  if (columns.every(({ below }) => below === undefined)) return [];
  const parts = columns.map((column) => column.below === undefined ? wholeName(page, column, row) : column.below(row));
  const some = parts.filter((part) => part !== null);
  return some.length === 0 ? [] : quiet(page, `    ${some.join(" · ")}`, 6);
}

/** Returns a note that names the columns that did not fit. */
export function droppedNote({ columns }: Page, dropped: readonly string[]): string[] {
  return dropped.length === 0 ? [] : [`left out to fit ${columns} columns: ${dropped.join(", ")}`];
}

/** Wraps a note and dims it. */
export function quiet({ paint, width }: Page, text: string, indent = 3): string[] {
  return wrap(text, width, indent).map((line) => paint(line, "quiet"));
}

function fitted<Row>(page: Page, column: Column<Row>, row: Row): Cell {
  const cell = cellOf(column, row, Math.max(10, page.width - (column.beside ?? 0)));
  const indent = "  ".repeat(column.depth?.(row) ?? 0);
  const most = mostOf(page, column);
  return { ...cell, text: indent + (most === null ? cell.text : nameText(cell.text, most)) };
}

/** Returns the largest width of a column's texts; null without a limit. */
function mostOf<Row>(page: Page, { beside, most }: Column<Row>): number | null {
  return most ?? (beside === undefined ? null : nameWidth(page, beside));
}

/** Returns a name that was cut, to print below its row; null where it was not cut. */
function wholeName<Row>(page: Page, column: Column<Row>, row: Row): string | null {
  const most = mostOf(page, column);
  if (most === null || column.align === "right") return null;
  const name = printable(cellOf(column, row).text);
  return nameText(name, most) === name ? null : nameText(name, 2 * most + 40);
}
