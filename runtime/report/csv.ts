import { printable } from "./plain_text.ts";
import { columnsFor, headingWithUnit, type TableSpec, type Value } from "./spec.ts";

/** Significant digits of numbers that are not integers. */
const DIGITS = 9;

/** Start of a field that spreadsheets read as a formula, full-width forms included. */
const FORMULA = /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u;

/**
 * Renders rows as CSV (RFC 4180, lines end in `\n`). Control characters are escaped, so that each row is one line. Text
 * that a spreadsheet would run as a formula is prefixed with `'`.
 */
export function renderCsv(rows: readonly (readonly Value[])[]): string {
  return rows.map((row) => row.map(field).join(",") + "\n").join("");
}

/** Renders a table as CSV: headings with units, then unrounded values. */
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
