import type { Node, Result } from "../../result/schema.ts";
import { counts, figures, names, percentages, type TableSpec, words } from "../spec.ts";
import type { ComparedVariant } from "../matrix/column.ts";
import { speedUnit } from "../matrix/speed.ts";

/** Returns the table of a merged run's nodes; without rows for other runs. */
export function nodesTable({ nodes = [] }: Pick<Result, "nodes">): TableSpec<Node> {
  return {
    title: "Nodes",
    columns: [
      words("shard", ({ shard, of }) => `${shard}/${of}`, { align: "right", sort: ({ shard }) => shard }),
      words("host", ({ host }) => host),
      words("adapter", ({ adapter }) => adapter, { cut: true }),
      words("driver", ({ driver }) => driver, { cut: true, dropFirst: 0 }),
      counts("rounds", ({ rounds }) => rounds),
      percentages("baseline spread", ({ baselineSpread }) => baselineSpread, { heading: ["baseline", "spread %"] }),
      percentages("noise floor", ({ noiseFloor }) => noiseFloor, { heading: ["noise", "floor %"] }),
    ],
    rows: nodes,
    notes: [
      "baseline spread: standard deviation of the log of the baseline's block times; noise floor: the baseline against its " +
      "A/A copy",
    ],
  };
}

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
