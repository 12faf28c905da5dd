/// <reference lib="dom" />
import { MISSING } from "../../format.ts";
import type { TableSpec } from "../../spec.ts";
import { type Child, el } from "./dom.ts";
import { nameText } from "./names.ts";
import { createTable, type TableHooks } from "./table.ts";

/** Longest note. */
const LONGEST_NOTE = 1000;

/** Content of a section: nodes, nodes with a line above them that describes the figures, or the reason why there are none. */
export type Content = readonly Child[] | { readonly about: string; readonly content: readonly Child[] } | string;

/** Section of the report with an anchor. */
export interface Section {
  readonly anchor: string;
  readonly title: string;
  readonly content: Content;
}

/** Returns the element of a section, with `cited` beside its title. */
export function sectionElement({ anchor, title, content }: Section, cited: readonly Child[] = []): HTMLElement {
  const id = `section-${anchor}`;
  const heading = el("h3", { id }, title);
  const attributes = { "aria-labelledby": id, "data-anchor": anchor };
  if (typeof content === "string") {
    const reason = el("p", { class: "missing" }, `${MISSING} ${content}`);
    return el("section", { ...attributes, class: "empty" }, el("div", { class: "heading" }, heading, reason, ...cited));
  }
  const line = "about" in content ? el("p", { class: "about" }, content.about) : null;
  return el("section", attributes, el("div", { class: "heading" }, heading, ...cited), line, ...nodesOf(content));
}

/** Returns the nodes of a section; none where it has only a reason. */
export function nodesOf(content: Content): readonly Child[] {
  return typeof content === "string" ? [] : "about" in content ? content.content : content;
}

/** Returns notes below a table or a chart; null without any. */
export function notes(lines: readonly string[]): HTMLElement | null {
  const some = lines.filter((line) => line !== "");
  return some.length === 0
    ? null
    : el("ul", { class: "notes" }, ...some.map((line) => el("li", {}, nameText(line, LONGEST_NOTE))));
}

/** Returns named facts; long ones take a line each. */
export function facts(pairs: readonly (readonly [string, Child])[], kind: "short" | "long" = "short"): HTMLElement {
  return el(
    "dl",
    { class: `facts ${kind}` },
    ...pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

/** Returns a table with its notes. */
export function tableContent<Row>(spec: TableSpec<Row>, hooks: TableHooks<Row> = {}): Child[] {
  return [createTable(spec, hooks).element, notes(spec.notes ?? [])];
}
