import { createPage, type LookOptions, renderRows } from "./page.ts";
import { namesInProse } from "./plain_text.ts";
import { figures, type TableSpec, words } from "./spec.ts";

/** A shard as planned. */
export interface PlannedShard {
  readonly variants: readonly string[];
  readonly cost: number;
}

/** Renders which shard runs which variants. */
export function renderShards({ shards }: { readonly shards: readonly PlannedShard[] }, look: LookOptions): string {
  const page = createPage(look);
  const lines = renderRows(page, plannedShardsTable(shards)).lines;
  return `${lines.join("\n")}\n\nEvery shard also runs the baseline. Share: of the expected time of all shards\n`;
}

/** Returns the table of planned shards. */
function plannedShardsTable(shards: readonly PlannedShard[]): TableSpec<PlannedShard> {
  const total = shards.reduce((sum, { cost }) => sum + cost, 0);
  return {
    title: "Shards",
    columns: [
      words("shard", (shard) => `${shards.indexOf(shard) + 1}/${shards.length}`, { align: "right" }),
      figures("share", ({ cost }) => total === 0 ? null : cost / total * 100, { heading: ["share", "%"], unit: "%" }),
      words("variants", ({ variants }) => namesInProse(variants)),
    ],
    rows: shards,
  };
}
