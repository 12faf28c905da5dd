/// <reference lib="dom" />
import { tuningTable } from "../../../tuning_table.ts";
import { notTuned, type VariantContext } from "../context.ts";
import { notes, type Section } from "../section.ts";
import { createTable } from "../table.ts";

/** Returns the section of tuned kernels. */
export function autotuneSection({ variant }: VariantContext): Section {
  const base = { anchor: "autotune", title: "Autotuning" };
  const { autotune } = variant;
  if (autotune === null) return { ...base, content: notTuned(variant)! };
  const spec = tuningTable(variant);
  const table = createTable(spec, { limit: 40 });
  return { ...base, about: spec.title, content: [table.element, notes([...spec.notes ?? [], ...autotune.warnings])] };
}
