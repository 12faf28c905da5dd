/**
 * Checks that a table has the same content in a terminal, in Markdown, as CSV and in the HTML report.
 *
 * @module
 */
import assert from "node:assert/strict";
import { tableCsv } from "../../runtime/report/csv.ts";
import { createTable } from "../../runtime/report/html/client/table.ts";
import { markdownTable, markdownText } from "../../runtime/report/markdown/text.ts";
import { createPage, renderRows } from "../../runtime/report/page.ts";
import { cellOf, type Column, columnsFor, headingWithUnit } from "../../runtime/report/spec.ts";
import type { AnyTable } from "../../runtime/report/run_sections.ts";
import { parseCsv } from "../support/csv.ts";
import { type StandIn, standIn, withDocument } from "./html/dom_stand_in.ts";

/** Fails unless all four renderings hold the cells of the declaration. */
export function checkRenderings(spec: AnyTable): void {
  checkLines(spec);
  checkCsv(spec);
  withDocument(() => checkHtml(standIn(createTable(spec).element), spec));
}

/** A terminal and Markdown, where columns of bars have the width that there is. */
function checkLines(spec: AnyTable): void {
  const page = createPage({ columns: 1000, color: false });
  const columns = columnsFor(spec, "lines").filter(({ only }) => only === undefined);
  const lines = renderRows(page, { ...spec, columns }).lines.map(squeezed);
  const rows = markdownTable({ ...spec, columns }).slice(2);
  const inLine = columns.filter(({ below }) => below === undefined);
  for (const [i, row] of spec.rows.entries()) {
    assert(lines.includes(squeezed(textsOf(inLine, row).join(" "))), `${spec.title}, row ${i}\n${lines.join("\n")}`);
    assert.equal(
      rows[i]!.replaceAll("**", ""),
      `| ${textsOf(columns, row).map(markdownText).join(" | ")} |`,
      spec.title,
    );
  }
}

function checkCsv(spec: AnyTable): void {
  const columns = columnsFor(spec, "data");
  const [headings, ...rows] = parseCsv(tableCsv(spec));
  assert.deepEqual(headings, columns.map(headingWithUnit), spec.title);
  assert.equal(new Set(columns.map(({ name }) => name)).size, columns.length, spec.title);
  for (const [i, row] of spec.rows.entries()) {
    for (const [j, column] of columns.entries()) checkField(rows[i]![j]!, column, row);
  }
}

/** Fails unless a CSV field is the column's value, and the printed text rounds it. */
function checkField(field: string, column: Column<unknown>, row: unknown): void {
  const value = column.value(row);
  const what = `${column.name}: ${field}`;
  if (value === null) return assert.equal(field, "", what);
  if (typeof value === "string") return assert.equal(field.replace(/^'/, ""), value, what);
  assert.equal(Number(field), Number(value.toPrecision(9)), what);
  const { text } = cellOf(column, row);
  const [number, decimals = ""] = text.replaceAll(",", "").match(/-?\d+(?:\.(\d+))?/) ?? [];
  if (number === undefined || /[a-zA-Z<]/.test(text)) return; // a separate unit, or below the smallest printed value
  assert(Math.abs(Number(number) - value) <= 0.5001 * 10 ** -decimals.length, `${what} is shown as ${text}`);
}

/** Fails unless a table of the page has the cells of the declaration. */
export function checkHtml(table: StandIn, spec: AnyTable): void {
  const columns = columnsFor(spec, "data");
  const [body] = table.all("tbody");
  const rows = body!.all("tr").map((row) => row.children.map((cell) => standIn(cell).textContent));
  assert(rows.length > 0, spec.title);
  assert.deepEqual(rows, spec.rows.slice(0, rows.length).map((row) => textsOf(columns, row)), spec.title);
}

/** Texts of cells, with their marks, as a medium has them. */
function textsOf(columns: readonly Column<unknown>[], row: unknown): string[] {
  return columns.map((column) => {
    const { text, mark = "" } = cellOf(column, row);
    return text + mark;
  });
}

/** The text without differences of spacing. */
function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
