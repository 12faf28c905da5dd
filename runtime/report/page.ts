/**
 * A terminal as reports see it: how wide it is, and tables with a title above and notes below.
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

/** Names are cut at this length where nothing else limits them. */
const LONGEST_NAME = 120;

export interface LookOptions {
  /** Columns of the terminal; null when the output is no terminal and nothing has to be left out. */
  readonly columns: number | null;
  readonly color: boolean;
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

export function createPage({ columns, color }: LookOptions): Page {
  return {
    columns: columns ?? PROSE_WIDTH,
    drop: columns !== null,
    width: Math.min(columns ?? PROSE_WIDTH, PROSE_WIDTH),
    paint: createPaint(color),
  };
}

/** Columns that a name may take beside others that need `others` of them. */
function nameWidth({ columns, drop }: Page, others: number): number {
  return drop ? Math.min(LONGEST_NAME, Math.max(16, columns - others)) : LONGEST_NAME;
}

/** A title, the table below it, what had to be left out, and notes. Without rows there is nothing. */
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
 * The table alone, with the names of the columns that did not fit.
 *
 * @param under lines of their own below a row
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

/** What a terminal says below a row: names that were cut, and the columns that are words there. */
function wordsBelow<Row>(page: Page, spec: TableSpec<Row>, row: Row): string[] {
  const columns = columnsFor(spec, "lines");
  if (columns.every(({ below }) => below === undefined)) return [];
  const parts = columns.map((column) => column.below === undefined ? wholeName(page, column, row) : column.below(row));
  const some = parts.filter((part) => part !== null);
  return some.length === 0 ? [] : quiet(page, `    ${some.join(" · ")}`, 6);
}

/** Names the columns that did not fit. */
export function droppedNote({ columns }: Page, dropped: readonly string[]): string[] {
  return dropped.length === 0 ? [] : [`left out to fit ${columns} columns: ${dropped.join(", ")}`];
}

/** Lines of a sentence that stands back. */
export function quiet({ paint, width }: Page, text: string, indent = 3): string[] {
  return wrap(text, width, indent).map((line) => paint(line, "quiet"));
}

function fitted<Row>(page: Page, column: Column<Row>, row: Row): Cell {
  const cell = cellOf(column, row, Math.max(10, page.width - (column.beside ?? 0)));
  const indent = "  ".repeat(column.depth?.(row) ?? 0);
  const most = mostOf(page, column);
  return { ...cell, text: indent + (most === null ? cell.text : nameText(cell.text, most)) };
}

/** Width at which a column cuts its texts; null where it does not. */
function mostOf<Row>(page: Page, { beside, most }: Column<Row>): number | null {
  return most ?? (beside === undefined ? null : nameWidth(page, beside));
}

/** A name that was cut, for the words below its row. */
function wholeName<Row>(page: Page, column: Column<Row>, row: Row): string | null {
  const most = mostOf(page, column);
  if (most === null || column.align === "right") return null;
  const name = printable(cellOf(column, row).text);
  return nameText(name, most) === name ? null : nameText(name, 2 * most + 40);
}
