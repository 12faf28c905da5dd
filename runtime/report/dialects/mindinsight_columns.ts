import { type Column, words } from "../spec.ts";
import { type ColumnOf, measured } from "./columns.ts";

/** Formats a count; null for ops that were not timed. */
export function count(calls: number): string | null {
  return calls === 0 ? null : String(calls);
}

/** Returns a column of names or counts. */
export function label<Row>(
  name: ColumnOf<"mindinsight">,
  value: (row: Row) => string | null,
  options: Partial<Pick<Column<Row>, "align" | "dropFirst" | "beside" | "most">> = {},
): Column<Row> {
  return words(name, value, options);
}

/** Returns a column of numbers. */
export function number<Row>(
  column: ColumnOf<"mindinsight">,
  heading: string,
  value: (row: Row) => number | null,
  digits = 3,
  dropFirst?: number,
): Column<Row> {
  return words(heading, (row) => measured("mindinsight", column, value(row))?.toFixed(digits) ?? null, {
    align: "right",
    ...dropFirst === undefined ? {} : { dropFirst },
  });
}
