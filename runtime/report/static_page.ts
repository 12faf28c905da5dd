import { createHash } from "node:crypto";
import { escapeHtml } from "./html/escape.ts";
import { type HtmlCells, htmlTable } from "./notebook/html_table.ts";
import type { TableSpec } from "./spec.ts";
import style from "./static_page.css" with { type: "text" };

/** Longest title of a page. */
const LONGEST_TITLE = 200;

/** Renders a page without scripts that loads nothing. `body` is HTML. */
export function staticPage(title: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${staticPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title.slice(0, LONGEST_TITLE))} – Tacho</title>
<style>${styleText()}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** Returns the content security policy of the page. */
export function staticPolicy(): string {
  const hash = createHash("sha256").update(styleText()).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

/** Returns the style sheet with the line endings that browsers hash. */
function styleText(): string {
  return style.replaceAll(/\r\n?/g, "\n");
}

/** Renders a table with its title and notes. `level` is that of the title. */
export function staticTable<Row>(spec: TableSpec<Row>, level: 2 | 3, cells: HtmlCells<Row> = {}): string {
  const title = escapeHtml(spec.title);
  const table = htmlTable(spec, cells);
  return [
    `<h${level}>${title}</h${level}>`,
    `<div class="scroll" role="group" aria-label="${title}" tabindex="0">${table}</div>`,
    staticList(spec.notes ?? []),
  ].join("\n");
}

/** Renders sentences as a list; empty without any. */
export function staticList(sentences: readonly string[]): string {
  if (sentences.length === 0) return "";
  return `<ul class="notes">${sentences.map((sentence) => `<li>${escapeHtml(sentence)}</li>`).join("")}</ul>`;
}
