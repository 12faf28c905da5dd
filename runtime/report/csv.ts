import { printable } from "./plain_text.ts";
import { columnsFor, headingWithUnit, type TableSpec, type Value } from "./spec.ts";

/** Significant digits of numbers that are not whole. */
const DIGITS = 9;

/** What a spreadsheet takes for a formula when a field begins with it, full-width forms included. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u;

/**
 * Rows as CSV (RFC 4180, lines end in `\n`). Control characters are written out, so that a row is a line; a text that
 * a spreadsheet would run as a formula gets a `'` in front.
 */
export function renderCsv(rows: readonly (readonly Value[])[]): string {
  return rows.map((row) => row.map(field).join(",") + "\n").join("");
}

/** A table as CSV: its headings with their units, then whole figures. */
export function tableCsv<Row>(spec: TableSpec<Row>): string {
  const columns = columnsFor(spec, "data");
  return renderCsv([
    columns.map(headingWithUnit),
    ...spec.rows.map((row) => columns.map((column) => column.value(row))),
  ]);
}

function field(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number" && Number.isFinite(value)) {
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)));
  }
  const text = printable(String(value));
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
