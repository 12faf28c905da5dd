/// <reference lib="dom" />
import type { TableSpec } from "../../../spec.ts";
import { el } from "../dom.ts";
import { createTable } from "../table.ts";

/** Numbers of a chart as a table that is made when it is opened. */
export function chartData<Row>(spec: TableSpec<Row>): HTMLElement {
  const details = el("details", { class: "data" }, el("summary", {}, "Data"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(createTable(spec, { limit: 50 }).element);
  });
  return details;
}
