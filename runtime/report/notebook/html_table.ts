import { escapeHtml } from "../html/escape.ts";
import { type Cell, cellOf, type Column, columnsFor, type TableSpec } from "../spec.ts";

/** Contents of cells and headings as HTML, by the name of their column, that replace the text. */
export interface HtmlCells<Row> {
  readonly cells?: Readonly<Record<string, (row: Row, text: string) => string>>;
  readonly headings?: Readonly<Record<string, (text: string) => string>>;
}

/** Renders a table as HTML, with the columns of a terminal. */
export function htmlTable<Row>(spec: TableSpec<Row>, { cells = {}, headings = {} }: HtmlCells<Row> = {}): string {
  const columns = columnsFor(spec, "lines");
  const heading = ({ name, heading, help, align }: Column<Row>) => {
    const text = heading.map(escapeHtml).join("<br>");
    const title = help === undefined ? "" : ` title="${escapeHtml(help)}"`;
    return `<th class="${align}"${title}>${headings[name]?.(text) ?? text}</th>`;
  };
  const cell = (column: Column<Row>, row: Row) => {
    const { text, mark = "", tone }: Cell = cellOf(column, row);
    const shown = escapeHtml(text + mark);
    return `<td class="${column.align} ${tone ?? ""}">${cells[column.name]?.(row, shown) ?? shown}</td>`;
  };
  const rows = spec.rows.map((row) => `<tr>${columns.map((column) => cell(column, row)).join("")}</tr>`);
  return `<table><thead><tr>${columns.map(heading).join("")}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
}
