import { type Cell, cellOf, columnsFor, type TableSpec } from "../spec.ts";
import { markdownText } from "./text.ts";

/** A table of GitHub-flavoured Markdown. */
export function markdownTable<Row>(spec: TableSpec<Row>): string[] {
  const columns = columnsFor(spec, "lines");
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(({ heading }) => markdownText(heading.join(" ")))),
    line(columns.map(({ align }) => align === "left" ? ":--" : "--:")),
    ...spec.rows.map((row) => line(columns.map((column) => markdownCell(cellOf(column, row))))),
  ];
}

/** A section of a report: its title, its table, and its notes as a list. */
export function markdownSection<Row>(spec: TableSpec<Row>): string[] {
  if (spec.rows.length === 0) return [];
  return [`## ${markdownText(spec.title)}`, "", ...markdownTable(spec), "", ...markdownList(spec.notes ?? [])];
}

/** Sentences as a list. */
export function markdownList(sentences: readonly string[]): string[] {
  return sentences.map((sentence) => `- ${markdownText(sentence.replaceAll("\n", " "))}`);
}

/** Markdown knows no colours: what is good or bad is bold. */
function markdownCell({ text, mark = "", tone }: Cell): string {
  const plain = markdownText(text + mark);
  return plain !== "" && (tone === "good" || tone === "bad") ? `**${plain}**` : plain;
}
