/**
 * Escaping for GitHub-flavoured Markdown (https://github.github.com/gfm/) and for GitHub's own mentions, references and
 * formulas.
 *
 * @module
 */
import { printable } from "../plain_text.ts";
import { type Cell, cellOf, columnsFor, type TableSpec } from "../spec.ts";

/** Signs with a meaning within a line. Those that end a cell or start an escape become entities, which are inert. */
const SIGNS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  "|": "&#124;",
  "\\": "&#92;",
  "$": "&#36;",
  "`": "\\`",
  "*": "\\*",
  "[": "\\[",
  "]": "\\]",
  "~": "\\~",
};

/** Empty comment that breaks up links, mentions and references. */
const APART = "<!-- -->";

/** Start of a line that would make it a list, a heading, a quote or a rule. */
const LINE_START = /^(?:[-+=#>]|\d+(?=[.)](?:\s|$)))/;

/** Escapes text for a line or a cell, so that all of it shows as it is, without markup or links. */
export function markdownText(text: string): string {
  const plain = printable(text).trim();
  const escaped = plain
    .replaceAll(/[&<|\\$`*[\]~]/g, (sign) => SIGNS[sign]!)
    .replaceAll(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\_")
    .replaceAll(/@(?=[\w\\])/g, `@${APART}`)
    .replaceAll(/(?<!&)#(?=\d)/g, `#${APART}`)
    .replaceAll(/\bGH-(?=\d)/gi, (sign) => sign.slice(0, 2) + APART + "-")
    .replaceAll("://", `:${APART}//`)
    .replaceAll(/\bwww\./gi, (sign) => sign.slice(0, 3) + APART + ".");
  return escaped.replace(LINE_START, (sign) => /\d/.test(sign) ? `${APART}${sign}` : `\\${sign}`);
}

/** Wraps lines in a code fence that none of them can end. */
export function markdownFence(lines: readonly string[], language: string): string[] {
  const clean = lines.map((line) => line.split("\t").map(printable).join("\t"));
  const longest = Math.max(2, ...clean.flatMap((line) => line.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...clean, fence];
}

/** Renders a table in GitHub-flavoured Markdown. */
export function markdownTable<Row>(spec: TableSpec<Row>): string[] {
  const columns = columnsFor(spec, "lines");
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(({ heading }) => markdownText(heading.join(" ")))),
    line(columns.map(({ align }) => align === "left" ? ":--" : "--:")),
    ...spec.rows.map((row) => line(columns.map((column) => markdownCell(cellOf(column, row))))),
  ];
}

/** Renders a title, its table, and its notes as a list; empty without rows. */
export function markdownSection<Row>(spec: TableSpec<Row>): string[] {
  if (spec.rows.length === 0) return [];
  return [`## ${markdownText(spec.title)}`, "", ...markdownTable(spec), "", ...markdownList(spec.notes ?? [])];
}

/** Renders sentences as a list. */
export function markdownList(sentences: readonly string[]): string[] {
  return sentences.map((sentence) => `- ${markdownText(sentence.replaceAll("\n", " "))}`);
}

/** Renders a cell. Markdown has no colours, so good and bad values are bold. */
function markdownCell({ text, mark = "", tone }: Cell): string {
  const plain = markdownText(text + mark);
  return plain !== "" && (tone === "good" || tone === "bad") ? `**${plain}**` : plain;
}
