import { escapeHtml } from "./html/escape.ts";
import { hashed, htmlPage, LONGEST_TITLE } from "./html/document.ts";
import base from "./html/style/base.css" with { type: "text" };
import layout from "./html/style/layout.css" with { type: "text" };
import print from "./html/style/print.css" with { type: "text" };
import table from "./html/style/table.css" with { type: "text" };
import { type HtmlCells, htmlTable } from "./notebook/html_table.ts";
import type { TableSpec } from "./spec.ts";
import own from "./static_page.css" with { type: "text" };

const style = hashed([base, layout, table, print, own].join("\n"));

/** Section of a page. */
export interface StaticSection {
  /** Title, whose part before a sign is the name in the navigation. */
  readonly title: string;
  readonly html: string;
}

/** Sections under a common title. */
export interface StaticGroup {
  /** Empty for the only group of a page. */
  readonly title: string;
  /** HTML before the sections. */
  readonly intro?: string;
  readonly sections: readonly StaticSection[];
}

export interface StaticPage {
  readonly title: string;
  /** HTML of the heading, by default the title. */
  readonly heading?: string;
  /** Sentences below the heading. */
  readonly about: readonly string[];
  readonly groups: readonly StaticGroup[];
}

/** Renders a page in the report's look, without scripts. It loads nothing. */
export function staticPage({ title, heading = escapeHtml(title), about, groups }: StaticPage): string {
  const body = `<header>
<div class="top"><h1>${heading}</h1>
<label class="tool"><input type="checkbox" id="colors" class="unseen">Switch colours</label></div>
${staticList(about)}
</header>
<div class="page">
<nav aria-label="Sections">
${groups.map(links).join("\n")}
</nav>
<main>
${groups.map(group).join("\n")}
</main>
</div>`;
  return htmlPage(`${title.slice(0, LONGEST_TITLE)} – Tacho`, { policy: staticPolicy(), style, body });
}

function links({ title, sections }: StaticGroup, i: number): string {
  const items = sections.map((section) =>
    `<li><a href="#${anchor(section, i)}">${escapeHtml(shortTitle(section))}</a></li>`
  );
  return `<h2>${escapeHtml(title || "Sections")}</h2><ul>${items.join("")}</ul>`;
}

function group({ title, intro = "", sections }: StaticGroup, i: number): string {
  const head = title === "" ? "" : `<h2>${escapeHtml(title)}</h2>`;
  const parts = sections.map((section) =>
    `<section><h3 id="${anchor(section, i)}">${escapeHtml(section.title)}</h3>\n${section.html}</section>`
  );
  return [head, intro, ...parts].join("\n");
}

function shortTitle({ title }: StaticSection): string {
  return title.split(/[:,(]/)[0]!.trim();
}

function anchor(section: StaticSection, group: number): string {
  const name = shortTitle(section).toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return group === 0 ? name : `${name}-${group + 1}`;
}

/** Returns the content security policy of the page. */
export function staticPolicy(): string {
  return `default-src 'none'; style-src '${style.hash}'; base-uri 'none'; form-action 'none'`;
}

/** Returns the section of a table with its notes. `before` is HTML above the table. */
export function staticTable<Row>(spec: TableSpec<Row>, cells: HtmlCells<Row> = {}, before = ""): StaticSection {
  const frame = `<div class="scroll" role="group" aria-label="${escapeHtml(spec.title)}" tabindex="0">`;
  const table = `<div class="table">${frame}${htmlTable(spec, cells)}</div></div>`;
  return { title: spec.title, html: [before, table, staticList(spec.notes ?? [])].join("\n") };
}

/** Renders sentences as a list; empty without any. */
export function staticList(sentences: readonly string[]): string {
  if (sentences.length === 0) return "";
  return `<ul class="notes">${sentences.map((sentence) => `<li>${escapeHtml(sentence)}</li>`).join("")}</ul>`;
}
