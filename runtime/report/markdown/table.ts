import { MISSING } from "../format.ts";
import { markdownText } from "./text.ts";
import type { DataColumn, Section } from "../page.ts";
import type { Cell, Column } from "../table.ts";

/** Cells under headings as a table of GitHub-flavoured Markdown. */
export function markdownTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string[] {
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    row(columns.map(({ heading }) => markdownText(heading.join(" ")))),
    row(columns.map(({ align }) => align === "left" ? ":--" : "--:")),
    ...rows.map((cells) => row(cells.map(({ text, mark = "", tone }) => emphasis(markdownText(text + mark), tone)))),
  ];
}

/** A section of a report: its title, its table, and its notes as a list. */
export function markdownSection<T>({ title, columns, rows, under, notes = [] }: Section<T>): string[] {
  if (rows.length === 0) return [];
  const described: readonly DataColumn<T>[] = under === undefined ? columns : [
    ...columns,
    { name: "remark", heading: ["remark"], align: "left", cell: (row) => under(row) ?? "" },
  ];
  const cells = rows.map((row) => described.map((column) => toCell(column.cell(row))));
  return [`## ${markdownText(title)}`, "", ...markdownTable(described, cells), "", ...markdownList(notes)];
}

/** Sentences as a list. */
export function markdownList(sentences: readonly string[]): string[] {
  return sentences.map((sentence) => `- ${markdownText(sentence.replaceAll("\n", " "))}`);
}

/** Markdown knows no colours: what is good or bad is bold. */
function emphasis(text: string, tone: Cell["tone"]): string {
  return text !== "" && (tone === "good" || tone === "bad") ? `**${text}**` : text;
}

function toCell(cell: Cell | string | null): Cell {
  return cell === null ? { text: MISSING } : typeof cell === "string" ? { text: cell } : cell;
}
