/// <reference lib="dom" />
import { MISSING } from "../../format.ts";
import type { TableSpec } from "../../spec.ts";
import { type Child, el } from "./dom.ts";
import { nameText } from "./names.ts";
import { createTable, type TableHooks } from "./table.ts";

/** Remarks are cut here. */
const LONGEST_NOTE = 1000;

/** A part of the report that can be led to. */
export interface Section {
  readonly anchor: string;
  readonly title: string;
  /** What it shows, or the reason why there is nothing to show. */
  readonly content: readonly Child[] | string;
  /** Stands below the title: what the figures are of. */
  readonly about?: string;
}

/** The element of a section; `cited` stands beside the title. */
export function sectionElement({ anchor, title, content, about }: Section, cited: readonly Child[] = []): HTMLElement {
  const id = `section-${anchor}`;
  const heading = el("h3", { id }, title);
  const attributes = { "aria-labelledby": id, "data-anchor": anchor };
  if (typeof content === "string") {
    const reason = el("p", { class: "missing" }, `${MISSING} ${content}`);
    return el("section", { ...attributes, class: "empty" }, el("div", { class: "heading" }, heading, reason, ...cited));
  }
  const line = about === undefined ? null : el("p", { class: "about" }, about);
  return el("section", attributes, el("div", { class: "heading" }, heading, ...cited), line, ...content);
}

/** Small remarks below a table or a chart. */
export function notes(lines: readonly string[]): HTMLElement | null {
  const some = lines.filter((line) => line !== "");
  return some.length === 0
    ? null
    : el("ul", { class: "notes" }, ...some.map((line) => el("li", {}, nameText(line, LONGEST_NOTE))));
}

/** Facts beside their names; long ones take a line each. */
export function facts(pairs: readonly (readonly [string, Child])[], kind: "short" | "long" = "short"): HTMLElement {
  return el(
    "dl",
    { class: `facts ${kind}` },
    ...pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

/** A table with its remarks below it. */
export function tableContent<Row>(spec: TableSpec<Row>, hooks: TableHooks<Row> = {}): Child[] {
  return [createTable(spec, hooks).element, notes(spec.notes ?? [])];
}
