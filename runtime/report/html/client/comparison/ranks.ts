/// <reference lib="dom" />
import { ranksTable } from "../../../outcome/ranks.ts";
import type { Overview } from "../../embedded.ts";
import { type Section, tableContent } from "../section.ts";

/** Returns the section of the ranks of distributed variants. */
export function ranksSection(overview: Overview): Section {
  return { anchor: "ranks", title: "Ranks", content: tableContent(ranksTable(overview)) };
}
