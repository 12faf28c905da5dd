/**
 * Distributed training: the records of its ranks, the straggler and the efficiency.
 *
 * @module
 */
import { allReduceTime, type BucketTimes } from "../record/all_reduce.ts";
import type { AllReduce, Network, Rank, RankBlock, Ranks } from "../result/ranks.ts";
import type { Block, StepRecord, VariantResult } from "../result/schema.ts";
import { median } from "../core/statistics.ts";

/** A rank is a straggler if its work exceeds the others' by this fraction of the step. */
const STRAGGLES = 0.05;

/** Place of a rank. */
export type RankPlace = Pick<Rank, "rank" | "host" | "adapter" | "device">;

/** Records of the ranks of one block. */
export interface RanksOfBlock {
  /** By rank. */
  readonly ranks: readonly RankBlock[];
  readonly buckets: readonly BucketTimes[];
}

type Times = Pick<RankBlock, "batchCost" | "readerCost" | "iterationGap" | "forward" | "backward" | "update">;

/** Returns the mean times of a rank's block. */
export function rankBlockOf({ steps }: Pick<Block, "steps">): RankBlock {
  const mean = (of: (step: StepRecord) => number | null) => {
    const values = steps.map(of).filter((value) => value !== null);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const part = (name: keyof AllReduce) => mean((step) => step.allReduce?.[name] ?? null) ?? 0;
  return {
    steps: steps.length,
    batchCost: mean(({ batchCost }) => batchCost) ?? 0,
    readerCost: mean(({ readerCost }) => readerCost) ?? 0,
    iterationGap: mean(({ iterationGap }) => iterationGap),
    forward: mean(({ forward }) => forward),
    backward: mean(({ backward }) => backward),
    update: mean(({ update }) => update),
    allReduce: {
      copyOut: part("copyOut"),
      wait: part("wait"),
      network: part("network"),
      copyIn: part("copyIn"),
      hidden: part("hidden"),
    },
  };
}

/** Combines the blocks of a distributed variant. Returns null without a block. */
export function ranksOf(
  blocks: readonly RanksOfBlock[],
  places: readonly RankPlace[],
  network: Network | null,
): Ranks | null {
  if (blocks.length === 0) return null;
  const ranks = places.map((place): Rank => ({ ...place, ...combined(blocks.map(({ ranks }) => ranks[place.rank]!)) }));
  const works = ranks.map(workOf);
  const mean = works.reduce((sum, work) => sum + work, 0) / works.length;
  const transfers = ranks.map(({ allReduce: { network, hidden } }) => ({ network, hidden }));
  const exposed = transfers.reduce((sum, { network }) => sum + network, 0);
  const all = transfers.reduce((sum, { network, hidden }) => sum + network + hidden, 0);
  return {
    size: ranks.length,
    efficiency: null,
    notHidden: all > 0 ? exposed / all : null,
    imbalance: mean > 0 ? Math.max(...works) / mean - 1 : 0,
    straggler: stragglerOf(ranks),
    network,
    buckets: blocks[0]!.buckets.map((first, i) => ({
      ...first,
      calls: blocks.reduce((sum, { buckets }) => sum + buckets[i]!.calls, 0),
      total: blocks.reduce((sum, { buckets }) => sum + buckets[i]!.total, 0),
    })),
    ranks,
  };
}

/** Returns the time of a rank's step without its waits for others and for the network, in ms. */
export function workOf({ batchCost, allReduce: { wait, network } }: Pick<Rank, "batchCost" | "allReduce">): number {
  return Math.max(0, batchCost - wait - network);
}

/** Adds to each distributed variant its efficiency, relative to the variant that differs in `distribute` alone. */
export function withEfficiency(variants: readonly VariantResult[]): VariantResult[] {
  return variants.map((variant) => {
    const { ranks, metrics } = variant;
    if (ranks === undefined) return variant;
    const settings = withoutRanks(variant);
    const alone = variants.find((other) => other.ranks === undefined && withoutRanks(other) === settings);
    const [own, reference] = [metrics.ips?.value, alone?.metrics.ips?.value];
    if (own === undefined || reference === undefined) return variant;
    return { ...variant, ranks: { ...ranks, efficiency: own / reference / ranks.size } };
  });
}

function withoutRanks({ config }: VariantResult): string {
  return JSON.stringify({ ...config, distribute: null });
}

/** Returns the means over blocks, weighted by their steps. */
function combined(blocks: readonly RankBlock[]): RankBlock {
  const steps = blocks.reduce((sum, block) => sum + block.steps, 0);
  const mean = (of: (block: RankBlock) => number | null): number | null => {
    const known = blocks.filter((block) => of(block) !== null);
    const weight = known.reduce((sum, block) => sum + block.steps, 0);
    return weight === 0 ? null : known.reduce((sum, block) => sum + of(block)! * block.steps, 0) / weight;
  };
  const part = (name: keyof AllReduce) => mean(({ allReduce }) => allReduce[name]) ?? 0;
  const time = (name: keyof Times) => mean((block) => block[name]);
  return {
    steps,
    batchCost: time("batchCost") ?? 0,
    readerCost: time("readerCost") ?? 0,
    iterationGap: time("iterationGap"),
    forward: time("forward"),
    backward: time("backward"),
    update: time("update"),
    allReduce: {
      copyOut: part("copyOut"),
      wait: part("wait"),
      network: part("network"),
      copyIn: part("copyIn"),
      hidden: part("hidden"),
    },
  };
}

/** Returns the rank whose work exceeds the median of the others', and the part that it takes longer for. */
function stragglerOf(ranks: readonly Rank[]): Ranks["straggler"] {
  if (ranks.length < 2) return null;
  const slowest = ranks.reduce((a, b) => workOf(b) > workOf(a) ? b : a);
  const others = ranks.filter((rank) => rank !== slowest);
  const excessOf = (of: (rank: Rank) => number) => of(slowest) - median(others.map(of));
  const excess = excessOf(workOf);
  // The others' waits must confirm it: on shared cores, a rank's work also varies with that of its neighbours
  const waits = median(others.map(({ allReduce }) => allReduce.wait)) - slowest.allReduce.wait;
  if (Math.min(excess, waits) < STRAGGLES * slowest.batchCost) return null;
  const device = ({ forward, backward, update }: Rank) => (forward ?? 0) + (backward ?? 0) + (update ?? 0);
  const copies = ({ allReduce: { copyOut, copyIn } }: Rank) => copyOut + copyIn;
  const causes = [
    { cause: "data", excess: excessOf(({ readerCost }) => readerCost) },
    { cause: "device", excess: excessOf(device) },
    { cause: "copies", excess: excessOf(copies) },
    { cause: "host", excess: excessOf((rank) => workOf(rank) - rank.readerCost - device(rank) - copies(rank)) },
  ] as const;
  const { cause } = causes.reduce((a, b) => b.excess > a.excess ? b : a);
  return { rank: slowest.rank, cause, excess };
}

/** Returns the time in which a step waits for its all-reduce, in ms; null on one rank. */
export function allReduceOf({ allReduce }: Pick<StepRecord, "allReduce">): number | null {
  return allReduce === undefined ? null : allReduceTime(allReduce);
}
