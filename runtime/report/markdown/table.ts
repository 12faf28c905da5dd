import { type Cell, cellOf, columnsFor, type TableSpec } from "../spec.ts";
import { markdownText } from "./text.ts";

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
