import type { Node, Result } from "../../result/schema.ts";
import { counts, percentages, type TableSpec, words } from "../spec.ts";

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
