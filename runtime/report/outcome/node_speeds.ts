import type { Node, Result } from "../../result/schema.ts";
import type { ComparedVariant } from "../matrix/column.ts";
import { speedUnit } from "../matrix/speed.ts";
import { figures, names, type TableSpec, words } from "../spec.ts";

/** Parts of a result that the table shows. */
interface Merged extends Pick<Result, "nodes"> {
  readonly variants: readonly Pick<ComparedVariant, "metrics" | "config">[];
}

type Row = Node["speeds"][number] & Pick<Node, "shard" | "of" | "host">;

/**
 * Returns the table of the speeds that each node of a merged run measured; without rows for other runs.
 *
 * @param most number of rows to show; null for all
 */
export function nodeSpeedsTable({ nodes = [], variants }: Merged, most: number | null = null): TableSpec<Row> {
  const rows = nodes.flatMap(({ shard, of, host, speeds }) => speeds.map((speed) => ({ ...speed, shard, of, host })));
  const left = most === null ? 0 : rows.length - most;
  return {
    title: "Speeds by node",
    columns: [
      words("shard", ({ shard, of }) => `${shard}/${of}`, { align: "right", sort: ({ shard }) => shard }),
      words("host", ({ host }) => host, { dropFirst: 0 }),
      names("variant", ({ variant }) => variant),
      figures("speed", ({ ips }) => ips, { heading: [speedUnit(variants)] }),
    ],
    rows: left > 0 ? rows.slice(0, most!) : rows,
    notes: [
      "speeds of different nodes are not compared; a speed-up is relative to the baseline of the same node",
      ...left > 0 ? [`${left} more rows are in reports`] : [],
    ],
  };
}
