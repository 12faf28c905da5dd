/**
 * Text for GitHub-flavoured Markdown, the one place that makes it harmless: https://github.github.com/gfm/, and what
 * GitHub adds to it (mentions, references, formulas).
 *
 * @module
 */
import { printable, shorten } from "../plain_text.ts";

/** Names and messages are cut here. */
const LONGEST_TEXT = 400;

/** Signs with a meaning within a line. Those that end a cell or start an escape become entities, which no rule reads. */
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

/** An empty comment keeps apart what GitHub would turn into a link, a mention or a reference. */
const APART = "<!-- -->";

/** What makes a list, a heading, a quote or a rule of a line that begins with it. */
const LINE_START = /^(?:[-+=#>]|\d+(?=[.)](?:\s|$)))/;

/** The text as it is, within a line or a cell: no markup, no link, no line of its own. */
export function markdownText(text: string): string {
  const plain = shorten(printable(text), LONGEST_TEXT).trim();
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

/** Lines as they are, in a fence that no line of them ends. */
export function markdownFence(lines: readonly string[], language: string): string[] {
  const clean = lines.map((line) => line.split("\t").map(printable).join("\t"));
  const longest = Math.max(2, ...clean.flatMap((line) => line.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...clean, fence];
}
