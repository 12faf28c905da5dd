/**
 * Tables as data: what their columns are and what they hold of a row. A table is declared once and rendered for a
 * terminal, as Markdown, as CSV and in the HTML report, so a declaration uses neither Deno nor the DOM.
 *
 * @module
 */
import type { Tone } from "./color.ts";
import { formatNumber, formatPercent, MISSING } from "./format.ts";

/** A whole figure, a text, or null for what was not measured. */
export type Value = number | string | null;

/** Width of a text that nothing limits, such as a line of bars in Markdown. */
const USUAL_ROOM = 40;

export interface ColumnLayout {
  /** Words for this column in a sentence; no other column of its table has them. */
  readonly name: string;
  /** Lines of the heading. */
  readonly heading: readonly string[];
  readonly align: "left" | "right";
  /** Columns of the lowest number go first when the table is too wide; without one a column stays. */
  readonly dropFirst?: number;
  /** Texts are set in several lines, broken after this sign, where that makes the table fit. */
  readonly breakAfter?: string;
  /** Texts are cut in the middle where nothing else makes the table fit. */
  readonly cut?: boolean;
}

export interface Column<Row> extends ColumnLayout {
  /** Unit of the values; a line of the heading may say it too. */
  readonly unit?: string;
  /** Explains the column to a reader who points at its heading. */
  readonly help?: string;
  /** Value in the column's unit: sorted by, copied, and written as CSV. */
  value(row: Row): Value;
  /** Text of a value that is not null, in at most `room` columns where it can have any width. */
  text?(row: Row, room: number): string;
  /** Sorts rows in place of the value. */
  sort?(row: Row): number | null;
  /** A sign after a number, outside its alignment. */
  mark?(row: Row): string | null;
  tone?(row: Row): Tone | null;
  /** Depth of the row in a tree, which indents its text. */
  depth?(row: Row): number;
  /** Width of the columns beside this one in a terminal, which cuts texts to what they leave. */
  readonly beside?: number;
  /** Width at which a terminal cuts texts. */
  readonly most?: number;
  /** Words for a terminal, below the row: the column is none there. Null leaves them out. */
  below?(row: Row): string | null;
  /** Media that have the column: `lines` are a terminal and Markdown, `data` are CSV and HTML. All by default. */
  readonly only?: "lines" | "data";
}

/** A table with its title and the sentences below it. */
export interface TableSpec<Row> {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly notes?: readonly string[];
}

/** A cell as a reader sees it. */
export interface Cell {
  readonly text: string;
  /** A sign after a number, outside its alignment. */
  readonly mark?: string;
  readonly tone?: Tone;
}

/** What a column shows of a row. */
export function cellOf<Row>(column: Column<Row>, row: Row, room = USUAL_ROOM): Cell {
  const value = column.value(row);
  if (value === null) return { text: MISSING };
  const text = column.text?.(row, room) ?? (typeof value === "number" ? formatNumber(value) : value);
  const [mark, tone] = [column.mark?.(row) ?? null, column.tone?.(row) ?? null];
  return { text, ...mark === null ? {} : { mark }, ...tone === null ? {} : { tone } };
}

/** The columns that `medium` has. */
export function columnsFor<Row>({ columns }: TableSpec<Row>, medium: "lines" | "data"): Column<Row>[] {
  return columns.filter(({ only = medium }) => only === medium);
}

/** A heading in one line, apart from the unit. */
export function titleOf({ heading, unit }: Pick<Column<never>, "heading" | "unit">): string {
  const words = heading.join(" ").replaceAll(/ \/(?=\S)/g, "/");
  return unit !== undefined && words.endsWith(` ${unit}`) ? words.slice(0, -unit.length - 1) : words;
}

/** `forward (ms)`: the heading where nothing else says the unit. */
export function headingWithUnit(column: Pick<Column<never>, "heading" | "unit">): string {
  return column.unit === undefined ? titleOf(column) : `${titleOf(column)} (${column.unit})`;
}

type Options<Row> = Partial<Omit<Column<Row>, "name" | "value" | "text">>;

/** A column of texts, on the left. */
export function words<Row>(
  name: string,
  value: (row: Row) => string | null,
  options: Options<Row> & Pick<Column<Row>, "text"> = {},
): Column<Row> {
  return { name, heading: [name], align: "left", value, ...options };
}

interface NumberOptions<Row> extends Options<Row> {
  /** Writes the number; three significant digits by default. */
  readonly format?: (value: number, row: Row) => string;
}

/** A column of numbers, on the right. */
export function figures<Row>(
  name: string,
  value: (row: Row) => number | null,
  { format = formatNumber, ...options }: NumberOptions<Row> = {},
): Column<Row> {
  return { name, heading: [name], align: "right", value, text: (row) => format(value(row)!, row), ...options };
}

/** A column of whole numbers. */
export function counts<Row>(name: string, value: (row: Row) => number | null, options: Options<Row> = {}): Column<Row> {
  return figures(name, value, { format: String, ...options });
}

/** A column of parts of a whole, in per cent. */
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

/** The column of names, in which a sweep's are broken at their commas. */
export function names<Row>(name: string, value: (row: Row) => string, options: Options<Row> = {}): Column<Row> {
  return words(name, value, { breakAfter: ",", cut: true, ...options });
}
