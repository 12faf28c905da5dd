/**
 * Tables as data. A table is declared once and rendered for a terminal, as Markdown, as CSV and in the HTML report, so
 * a declaration uses neither Deno nor the DOM.
 *
 * @module
 */
import type { Tone } from "./color.ts";
import { formatNumber, formatPercent, MISSING } from "./format.ts";

/** Unrounded number, text, or null for what was not measured. */
export type Value = number | string | null;

/** Default width of texts of variable width, such as sparklines in Markdown. */
const USUAL_ROOM = 40;

export interface ColumnLayout {
  /** Unique name of the column within its table, used in sentences. */
  readonly name: string;
  /** Lines of the heading. */
  readonly heading: readonly string[];
  readonly align: "left" | "right";
  /** Order in which columns are dropped when the table is too wide, lowest first; columns without one stay. */
  readonly dropFirst?: number;
  /** Sign after which texts are broken into lines, where that makes the table fit. */
  readonly breakAfter?: string;
  /** Cuts texts in the middle where nothing else makes the table fit. */
  readonly cut?: boolean;
}

export interface Column<Row> extends ColumnLayout {
  /** Unit of the values; the heading may repeat it. */
  readonly unit?: string;
  /** Tooltip of the heading. */
  readonly help?: string;
  /** Returns the value in the column's unit, for sorting, copying and CSV. */
  value(row: Row): Value;
  /** Formats a value that is not null; texts of variable width use at most `room` columns. */
  text?(row: Row, room: number): string;
  /** Returns the number to sort by, instead of the value. */
  sort?(row: Row): number | null;
  /** Returns a sign to print after a number, outside its alignment. */
  mark?(row: Row): string | null;
  tone?(row: Row): Tone | null;
  /** Returns the depth of the row in a tree, which indents its text. */
  depth?(row: Row): number;
  /** Width of the other columns in a terminal; texts are cut to the width they leave. */
  readonly beside?: number;
  /** Largest width of texts in a terminal. */
  readonly most?: number;
  /** Returns text that a terminal prints below the row instead of a column; null for none. */
  below?(row: Row): string | null;
  /** Media with this column: `lines` for terminal and Markdown, `data` for CSV and HTML. All by default. */
  readonly only?: "lines" | "data";
  /** In the HTML report, true hides the column until the reader asks for all of them. */
  readonly minor?: boolean;
}

/** Table with its title and the notes below it. */
export interface TableSpec<Row> {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly notes?: readonly string[];
}

/** Rendered cell. */
export interface Cell {
  readonly text: string;
  /** Sign after a number, outside its alignment. */
  readonly mark?: string;
  readonly tone?: Tone;
}

/** Returns a column's cell for a row. */
export function cellOf<Row>(column: Column<Row>, row: Row, room = USUAL_ROOM): Cell {
  const value = column.value(row);
  if (value === null) return { text: MISSING };
  const text = column.text?.(row, room) ?? (typeof value === "number" ? formatNumber(value) : value);
  const [mark, tone] = [column.mark?.(row) ?? null, column.tone?.(row) ?? null];
  return { text, ...mark === null ? {} : { mark }, ...tone === null ? {} : { tone } };
}

/** Returns the columns for a medium. */
export function columnsFor<Row>({ columns }: TableSpec<Row>, medium: "lines" | "data"): Column<Row>[] {
  return columns.filter(({ only = medium }) => only === medium);
}

/** Returns the heading in one line, without the unit. */
export function titleOf({ heading, unit }: Pick<Column<never>, "heading" | "unit">): string {
  const words = heading.join(" ").replaceAll(/ \/(?=\S)/g, "/");
  return unit !== undefined && words.endsWith(` ${unit}`) ? words.slice(0, -unit.length - 1) : words;
}

/** Returns the heading with its unit: `forward (ms)`. */
export function headingWithUnit(column: Pick<Column<never>, "heading" | "unit">): string {
  return column.unit === undefined ? titleOf(column) : `${titleOf(column)} (${column.unit})`;
}

type Options<Row> = Partial<Omit<Column<Row>, "name" | "value" | "text">>;

/** Returns a left-aligned column of texts. */
export function words<Row>(
  name: string,
  value: (row: Row) => string | null,
  options: Options<Row> & Pick<Column<Row>, "text"> = {},
): Column<Row> {
  return { name, heading: [name], align: "left", value, ...options };
}

interface NumberOptions<Row> extends Options<Row> {
  /** Formats the number; three significant digits by default. */
  readonly format?: (value: number, row: Row) => string;
}

/** Returns a right-aligned column of numbers. */
export function figures<Row>(
  name: string,
  value: (row: Row) => number | null,
  { format = formatNumber, ...options }: NumberOptions<Row> = {},
): Column<Row> {
  return { name, heading: [name], align: "right", value, text: (row) => format(value(row)!, row), ...options };
}

/** Returns a column of counts: integers, or means of them. */
export function counts<Row>(name: string, value: (row: Row) => number | null, options: Options<Row> = {}): Column<Row> {
  return figures(name, value, {
    format: (count) => Number.isInteger(count) ? String(count) : formatNumber(count),
    ...options,
  });
}

/** Returns a column of per cents, from ratios. */
export function percentages<Row>(
  name: string,
  ratio: (row: Row) => number | null,
  options: Options<Row> = {},
): Column<Row> {
  const percent = (row: Row) => {
    const known = ratio(row);
    return known === null ? null : known * 100;
  };
  return figures(name, percent, { unit: "%", format: (_, row) => formatPercent(ratio(row)!), ...options });
}

/** Returns a column of names; a sweep's names are broken at their commas. */
export function names<Row>(name: string, value: (row: Row) => string, options: Options<Row> = {}): Column<Row> {
  return words(name, value, { breakAfter: ",", cut: true, ...options });
}
