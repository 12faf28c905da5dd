/// <reference lib="dom" />
import type { Overview } from "../../embedded.ts";
import { notes, type Section } from "../section.ts";
import { createTable } from "../table.ts";
import { matrixColumns } from "./matrix_columns.ts";
import { matrixNotes } from "./matrix_notes.ts";

/** All variants with their speed against the baseline, drawn and in figures. */
export function matrixSection(overview: Overview): Section {
  const { variants } = overview;
  if (variants.length === 0) return { anchor: "matrix", title: "Comparison", content: "the result holds no variant" };
  const table = createTable({
    caption: "Comparison of the variants",
    columns: matrixColumns(overview),
    rows: variants,
    limit: 200,
    rowClass: ({ name, status }) => status === "ok" ? name === overview.baseline ? "baseline" : null : "broken",
  });
  return { anchor: "matrix", title: "Comparison", content: [table.element, notes(matrixNotes(overview))] };
}
