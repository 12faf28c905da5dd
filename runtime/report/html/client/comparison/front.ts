/// <reference lib="dom" />
import { frontTable } from "../../../outcome/front.ts";
import { isMerged } from "../../../matrix/column.ts";
import type { Overview } from "../../embedded.ts";
import { ON_NODES } from "../context.ts";
import { type Section, tableContent } from "../section.ts";

/** Returns the section of a sweep's best variants. */
export function frontSection(overview: Overview): Section {
  const base = { anchor: "front", title: "Best variants" };
  const spec = frontTable(overview);
  if (spec.rows.length === 0) {
    if (isMerged(overview)) return { ...base, content: ON_NODES };
    const isSwept = overview.variants.some(({ axes }) => Object.keys(axes).length > 0);
    return { ...base, content: isSwept ? "fewer than two variants could be compared" : "the variants are not a sweep" };
  }
  return { ...base, content: tableContent(spec) };
}
