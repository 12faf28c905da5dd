import { workOf } from "../../analysis/ranks.ts";
import type { AllReduceTimes } from "../../record/all_reduce.ts";
import type { Rank, Ranks } from "../../result/ranks.ts";
import type { VariantResult } from "../../result/schema.ts";
import { formatMiB, formatNumber, formatPercent, MISSING } from "../format.ts";
import { nameInProse } from "../plain_text.ts";
import { type Column, counts, figures, names, type TableSpec, words } from "../spec.ts";

/** A rank of a distributed variant. */
interface RankRow extends Rank {
  readonly variant: string;
}

type RankedVariant = Pick<VariantResult, "name" | "ranks">;

/** Returns the table of ranks, with a row for each rank of each distributed variant. */
export function ranksTable({ variants }: { readonly variants: readonly RankedVariant[] }): TableSpec<RankRow> {
  const distributed = variants.filter(({ ranks }) => ranks !== undefined);
  const rows = distributed.flatMap(({ name, ranks }) =>
    ranks!.ranks.map((rank): RankRow => ({ ...rank, variant: name }))
  );
  const several = new Set(rows.map(({ host }) => host)).size > 1;
  return {
    title: "Ranks: ms per step",
    columns: [
      names("variant", ({ variant }) => variant),
      counts("rank", ({ rank }) => rank),
      words("host", ({ host }) => host, { cut: true, ...several ? {} : { only: "data" } }),
      words("device", ({ adapter, device }) => device ?? adapter, { cut: true, only: "data" }),
      ...COLUMNS,
    ],
    rows,
    notes: rows.length === 0 ? [] : [
      ...distributed.flatMap(({ name, ranks }) =>
        ranks === undefined ? [] : sentences(ranks).map((text) => `${nameInProse(name)}: ${text}`)
      ),
      "work: step without waits for other ranks and for the network; overlap: transfers while the device works",
    ],
  };
}

const COLUMNS: readonly Column<RankRow>[] = [
  time("step", ({ batchCost }) => batchCost, "Batch cost"),
  time("work", (rank) => workOf(rank), "Step without waits for other ranks and for the network"),
  time("reader cost", ({ readerCost }) => readerCost, "Wait for batches", ["reader", "cost"], 4),
  time("forward", ({ forward }) => forward, "Device time of the forward pass", ["forward"], 1),
  time("backward", ({ backward }) => backward, "Device time of the backward pass", ["backward"], 1),
  time("update", ({ update }) => update, "Device time of the update", ["update"], 1),
  part("copy out", "copyOut", "Copy of the gradients to the host"),
  part("wait", "wait", "Wait for the slowest rank"),
  part("network", "network", "Transfers that the step waits for"),
  part("copy in", "copyIn", "Copy of the averages to the device"),
  part("overlap", "hidden", "Transfers while the device works"),
];

function time(
  name: string,
  value: (row: RankRow) => number | null,
  help: string,
  heading: readonly string[] = [name],
  dropFirst = 5,
): Column<RankRow> {
  return figures(name, value, { unit: "ms", help, heading, dropFirst });
}

function part(name: string, key: keyof AllReduceTimes, help: string): Column<RankRow> {
  return time(name, ({ allReduce }) => allReduce[key], help, name.split(" "));
}

const CAUSES: Readonly<Record<NonNullable<Ranks["straggler"]>["cause"], string>> = {
  data: "loading data",
  device: "its device",
  copies: "copies between device and host",
  host: "other work of the host",
};

/** Returns what the ranks of a variant have in common: the network, the buckets, and the straggler. */
function sentences({ straggler, imbalance, network, buckets, ranks }: Ranks): string[] {
  const bytes = buckets.reduce((sum, bucket) => sum + bucket.bytes, 0);
  const parts = buckets.length === 1 ? "one all-reduce" : `${buckets.length} all-reduces`;
  const speed = network === null
    ? ""
    : `; the network takes ${formatNumber(network.latency)} ms and ${formatNumber(network.bandwidth / 1000)} MB/s`;
  const slow = straggler === null
    ? `the longest work of a rank is ${formatPercent(imbalance)} % above the mean`
    : `rank ${straggler.rank} (${ranks[straggler.rank]?.host ?? MISSING}) is slow: ${
      formatNumber(straggler.excess)
    } ms longer than ` +
      `the others, most of it in ${CAUSES[straggler.cause]}`;
  return [`${formatMiB(bytes)} MiB of gradients in ${parts}${speed}`, slow];
}
