/// <reference lib="dom" />
import { el } from "../dom.ts";
import { createTable, type TableColumn } from "../table.ts";

/** Numbers of a chart as a table that is made when it is opened. */
export function chartData<Row>(
  caption: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): HTMLElement {
  const details = el("details", { class: "data" }, el("summary", {}, "Data"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) {
      details.append(createTable({ caption, columns, rows, limit: 50 }).element);
    }
  });
  return details;
}
