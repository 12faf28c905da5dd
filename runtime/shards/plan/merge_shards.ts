/**
 * Merges the shards of a sweep into one result. Shards are read one at a time, and blocks stay in their files, so that
 * memory holds one shard and a summary of each variant.
 *
 * @module
 */
import { sharedBy } from "../../analysis/comparison/compare.ts";
import { estimateOnNode, floorOnNode, judgeMerged, type NodeEstimate } from "../../analysis/comparison/merge.ts";
import { measuredBlocks } from "../../analysis/comparison/measured_blocks.ts";
import { logTimes } from "../../analysis/comparison/block_pairs.ts";
import { sha256 } from "../../core/sha256.ts";
import type { Block, Node, Result, VariantResult } from "../../result/schema.ts";
import { NOT_MEASURED } from "../../result/unmeasured.ts";
import type { ShardHeader } from "../store/shard_entries.ts";
import { readShardFile, type ShardFile } from "../store/shard_file.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import type { RunSpec } from "../../store/run_spec.ts";
import { chooseShards } from "./choose_shards.ts";
import { resultOfShard } from "./ended_shard.ts";
import { numberRanges } from "./sweep_plan.ts";

type Warning = NonNullable<Result["procedure"]>["warnings"][number];

/** Kind of warnings about the settings, which are those of the sweep. */
const OF_SETTINGS = "alias";

/** Warnings of the nodes of a sweep. One that several nodes share is listed once. */
class NodeWarnings {
  readonly #most: number;
  readonly #nodes = new Map<string, { readonly warning: Warning; readonly nodes: Node[] }>();

  /** @param most number of different warnings to keep */
  constructor(most: number) {
    this.#most = most;
  }

  add(node: Node, warning: Warning): void {
    const key = JSON.stringify([warning.kind, warning.message]);
    const known = this.#nodes.get(key);
    if (known !== undefined) known.nodes.push(node);
    else if (this.#nodes.size < this.#most) this.#nodes.set(key, { warning, nodes: [node] });
  }

  /** Returns the warnings, each with its shards unless all of `count` nodes have it. */
  all(count: number): Warning[] {
    return [...this.#nodes.values()].map(({ warning, nodes }) =>
      nodes.length === count || warning.kind === OF_SETTINGS
        ? warning
        : { ...warning, message: `${placeOf(nodes)}: ${warning.message}` }
    );
  }
}

/** Number of variants up to which a merged run keeps losses and profiles; for more, the shard files have them. */
const MAX_DETAILED = 500;

/** A merged sweep. */
export interface Merged {
  readonly result: Result;
  readonly spec: RunSpec;
  /** Header of one of the shards. */
  readonly header: ShardHeader;
  readonly modules: readonly ModuleSource[];
  /** Start of the earliest shard, in ms since 1970. */
  readonly started: number;
  /** Identifies the content, regardless of the order of the files. */
  readonly key: string;
  /** Files and shards that are missing, unfinished, doubled, outdated, foreign or damaged, one line each. */
  readonly problems: readonly string[];
}

/** Facts that all shards of a sweep share, from one of them. */
interface Shared {
  readonly whole: boolean;
  readonly result: Result;
  readonly header: ShardHeader;
  readonly modules: readonly ModuleSource[];
}

interface Row {
  readonly position: number;
  readonly name: string;
  variant: VariantResult;
  readonly config: RunSpec["variants"][number];
  readonly group: string;
  readonly nodes: NodeEstimate[];
}

/**
 * Merges shard files.
 *
 * @param across combine nodes with different adapters by a random-effects model
 * @throws {InputError} if no file holds a shard that can be merged
 */
export function mergeShards(paths: readonly string[], across = false): Merged {
  const { chosen, problems, total } = chooseShards(paths);
  // Losses of different variants are compared at the same step, which every shard has reached
  const lastStep = Math.min(...chosen.map(({ steps }) => steps ?? Infinity)) - 1;
  const rows = new Map<string, Row>();
  const nodes: Node[] = [];
  const warnings = new NodeWarnings(MAX_DETAILED);
  let first: Shared | null = null as Shared | null;
  let resumed = 0;
  for (const { path, whole } of chosen) {
    const file = readShardFile(path);
    const result = resultOfShard(file)!;
    const baseline = result.variants.find(({ name }) => name === result.baseline)!;
    const measured = (blocks: readonly Block[]) => measuredBlocks(blocks, result.procedure?.statistic ?? "mean");
    const reference = measured(baseline.blocks);
    const control = result.procedure?.secondArm?.blocks ?? null;
    const controlArm = control && measured(control);
    const compared = result.variants.filter((variant) => variant !== baseline && variant.status !== "failed");
    const shared = sharedBy([controlArm ?? [], ...compared.map(({ blocks }) => measured(blocks))], reference);
    const floor = floorOnNode(controlArm, reference, shared);
    const node = nodeOf(file, result, baseline, floor);
    nodes.push(node);
    resumed += result.procedure?.resumed ?? 0;
    for (const warning of result.procedure?.warnings ?? []) warnings.add(node, warning);
    // A complete shard, if there is one, gives what all shards share
    if (first === null || (whole && !first.whole)) {
      first = { whole, result: lean(result), header: file.header, modules: modulesOf(file) };
    }
    const group = across ? "" : JSON.stringify([node.adapter, node.driver]);
    const byName = new Map(result.variants.map((variant) => [variant.name, variant]));
    for (const [i, config] of file.header.spec.variants.entries()) {
      const variant = byName.get(config.name);
      if (variant === undefined) continue;
      const isBaseline = variant.name === result.baseline;
      const key = JSON.stringify([isBaseline ? "" : group, variant.name]);
      const row: Row = rows.get(key) ?? {
        ...{ position: file.header.positions[i]!, name: variant.name, config, group, nodes: [] },
        variant: summary(variant, lastStep, total <= MAX_DETAILED),
      };
      // A variant that failed on one node may have run on another
      if (row.variant.status === "failed" && variant.status !== "failed") {
        row.variant = summary(variant, lastStep, total <= MAX_DETAILED);
      }
      rows.set(key, row);
      const estimated = isBaseline || variant.status === "failed"
        ? null
        : estimateOnNode(measured(variant.blocks), reference, total - 1, shared);
      if (estimated !== null) {
        row.nodes.push({ ...estimated, floor, quality: variant.quality, unequal: unequalOf(variant) });
      }
    }
  }
  const { result, header, modules } = first!;
  const ordered = [...rows.values()].sort((a, b) => a.position - b.position || (a.group < b.group ? -1 : 1));
  const named = distinct(ordered);
  const variants = judged(ordered, named, result, across);
  const found = new Set(ordered.map(({ position }) => position)).size;
  if (found < total) problems.push(`${total - found} of ${total} variants have no result`);
  return {
    result: {
      ...result,
      variants,
      noiseFloor: medianOf(nodes.flatMap(({ noiseFloor }) => noiseFloor ?? [])),
      nodes,
      procedure: result.procedure && {
        ...result.procedure,
        ...{ order: [], probe: [], probeTrend: null, secondArm: null, resumed },
        warnings: [...problems.map((message) => ({ kind: "shards", message })), ...warnings.all(nodes.length)],
        warmUp: [],
      },
      effects: [],
      front: null,
      roofline: null,
    },
    spec: { ...header.spec, variants: [...new Map(ordered.map(({ name, config }) => [name, config])).values()] },
    header,
    modules,
    started: Math.min(...chosen.map(({ header }) => header.started)),
    key: sha256(JSON.stringify([across, chosen.map(({ key }) => key)])),
    problems,
  };
}

function judged(
  rows: readonly Row[],
  names: readonly string[],
  { baseline, procedure }: Result,
  across: boolean,
): VariantResult[] {
  const results = rows.map(({ variant }, i): VariantResult => ({ ...variant, name: names[i]! }));
  const indices = rows.map((_, i) => i).filter((i) => rows[i]!.nodes.length > 0);
  for (const group of Map.groupBy(indices, (i) => across ? "" : rows[i]!.group).values()) {
    const judgements = judgeMerged(group.map((i) => rows[i]!.nodes), procedure?.minEffect ?? 0);
    for (const [k, i] of group.entries()) {
      const { comparison, verdict } = judgements[k]!;
      const { metrics } = results[i]!;
      results[i] = {
        ...results[i]!,
        comparison,
        verdict,
        metrics: { ...metrics, speedup: { ...comparison.speedup, unit: "ratio" } },
      };
    }
  }
  return results.map((variant) =>
    variant.name !== baseline ? variant : {
      ...variant,
      metrics: { ...variant.metrics, speedup: { value: 1, low: 1, high: 1, unit: "ratio" } },
    }
  );
}

/** Returns a name for each row; those of a variant on several adapters have the adapter in it. */
function distinct(rows: readonly Row[]): string[] {
  const counts = new Map<string, number>();
  for (const { name } of rows) counts.set(name, (counts.get(name) ?? 0) + 1);
  return rows.map(({ name, group }) => {
    if (counts.get(name) === 1) return name;
    return `${name} (${(JSON.parse(group) as (string | null)[]).map((part) => part ?? "?").join(", ")})`;
  });
}

/**
 * Returns a variant without its blocks, which must not be paired with those of another node, and without its speed and
 * times, which must not stand beside those of another node.
 */
function summary(variant: VariantResult, lastStep: number, detailed: boolean): VariantResult {
  const more = detailed ? {} : { losses: [], ops: [], profile: null, evaluations: [], findings: [] };
  const { accuracy } = variant.metrics;
  const value = variant.losses[lastStep] ?? null;
  return {
    ...variant,
    ...more,
    blocks: [],
    queues: {},
    metrics: { ...NOT_MEASURED, accuracy },
    finalLoss: value === null ? null : { step: lastStep, value },
    stepTimes: null,
    outliers: null,
    comparison: null,
    verdict: null,
  };
}

/** Returns why a variant's steps are not the same work as the baseline's, as its shard has judged; null where they are. */
function unequalOf({ verdict, quality, comparison }: VariantResult): string | null {
  return verdict === "invalid" && quality?.kept !== false ? comparison?.reason ?? null : null;
}

function lean(result: Result): Result {
  return { ...result, variants: [], procedure: result.procedure && { ...result.procedure, secondArm: null } };
}

function nodeOf({ header, entries }: ShardFile, result: Result, baseline: VariantResult, floor: number | null): Node {
  const logs = [...logTimes(baseline.blocks).values()].map(({ log }) => log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const host = entries.findLast((entry) => entry.kind === "adapter")?.host ?? header.host;
  return {
    shard: header.shard,
    of: header.of,
    host,
    adapter: result.environment.adapter?.name ?? null,
    driver: result.environment.adapter?.driver ?? null,
    rounds: result.procedure?.rounds ?? 0,
    baselineSpread: logs.length < 2 ? null : Math.sqrt(variance),
    noiseFloor: floor,
    speeds: result.variants.map(({ name, metrics }) => ({ variant: name, ips: metrics.ips?.value ?? null })),
  };
}

function modulesOf({ entries }: ShardFile): readonly ModuleSource[] {
  return entries.findLast((entry) => entry.kind === "modules")?.modules ?? [];
}

function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? null;
}

function placeOf(nodes: readonly Node[]): string {
  const [{ shard, of, host }] = nodes as readonly [Node];
  if (nodes.length === 1) return `shard ${shard}/${of}${host === null ? "" : ` on ${host}`}`;
  return `shards ${numberRanges(nodes.map(({ shard }) => shard))} of ${of}`;
}
