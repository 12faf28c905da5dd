/// <reference lib="dom" />
import { seedsTable } from "../../../outcome/seeds.ts";
import type { Overview } from "../../embedded.ts";
import { type Section, tableContent } from "../section.ts";

/** Returns the section of losses and accuracies over several seeds. */
export function seedsSection(overview: Overview): Section {
  const base = { anchor: "seeds", title: "Several seeds" };
  const spec = seedsTable(overview);
  const content = spec.rows.length === 0 ? "each variant was trained once" : tableContent(spec);
  return { ...base, content };
}
