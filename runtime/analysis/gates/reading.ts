/**
 * Reads metrics from a result, with their values per block.
 *
 * @module
 */
import { isField, ofPhase } from "../../record/phases.ts";
import {
  type ExactCounts,
  fromLoss,
  type Memory,
  type Metric,
  type MetricName,
  type Result,
  type VariantResult,
} from "../../result/schema.ts";
import type { IsaWorst } from "../../result/isa.ts";
import { kernelsDigest } from "../exact_counts.ts";
import { peakBytes } from "../memory_points.ts";
import { busyShare } from "../metrics.ts";
import { allReduceOf } from "../ranks.ts";
import { blockInterval, type Interval } from "./block_interval.ts";
import type { GateMetric } from "./gate_metrics.ts";

/** Value of a metric in a result. */
export type Reading = NumberReading | { readonly kind: "word"; readonly word: string } | Missing;

/** A number with its interval. */
export interface NumberReading {
  readonly kind: "number";
  readonly value: number;
  /** Unit in the result, such as `images/s`; empty without one. */
  readonly unit: string;
  /** Values per block; null for metrics not measured per block. */
  readonly blocks: readonly number[] | null;
  /** 95 % confidence interval; null if the metric has none. */
  readonly interval: Interval | null;
  /** Place of the figure among several: a kernel and a GPU. */
  readonly place?: string;
}

/** A variant with what gates read besides its result. */
export type GatedVariant = VariantResult & { readonly isa?: IsaWorst };

/** A missing value and the reason. */
export interface Missing {
  readonly kind: "missing";
  readonly why: string;
}

type Block = VariantResult["blocks"][number];

const NOT_MEASURED: Missing = { kind: "missing", why: "not measured" };

/** Reads `metric` of a variant of `result`. */
export function readMetric(
  result: Pick<Result, "variants" | "baseline">,
  variant: GatedVariant,
  { name }: GateMetric,
): Reading {
  const [group = "", part = ""] = name.split(".");
  switch (group) {
    case "verdict":
      return word(variant.verdict, variant.name === result.baseline ? "the baseline has no verdict" : "not judged");
    case "bound":
      return word(variant.bound, NOT_MEASURED.why);
    case "status":
      return word(variant.status, NOT_MEASURED.why);
    case "finalLoss":
      return point(variant.finalLoss === null ? null : fromLoss(variant.finalLoss.value));
    case "overflows":
      return point(variant.overflows);
    case "parameters":
      return point(variant.parameters);
    case "memory":
      return point(part === "peak" ? peakBytes(variant) : variant.memory?.[part as keyof Memory] ?? null, "bytes");
    case "stepTimes":
      return point(variant.stepTimes?.[part as "median"] ?? null, "ms");
    case "counts":
      return point(variant.counts?.[part as "submits"] ?? null);
    case "exact":
      return readExact(variant, part as keyof ExactCounts);
    case "isa":
      return readIsa(variant.isa, part as keyof IsaWorst);
    case "quality":
      return point(variant.quality === null ? null : fromLoss(variant.quality.difference), "ratio");
    case "target":
      return estimate(variant.target?.time ?? null, "ms");
    case "speedup":
      return readSpeedup(result, variant);
    case "phases":
      return readPhase(variant, part);
    default:
      return isField(group) ? readPhase(variant, group) : readField(variant, group as BlockMetric);
  }
}

function readExact({ exact }: VariantResult, part: keyof ExactCounts): Reading {
  const value = exact?.[part] ?? null;
  if (value === null) return { kind: "missing", why: "not counted" };
  if (typeof value !== "number") return { kind: "word", word: kernelsDigest(value) };
  return point(value, /bytes$/i.test(part) ? "bytes" : "");
}

function readIsa(isa: IsaWorst | undefined, part: keyof IsaWorst): Reading {
  if (isa === undefined) return { kind: "missing", why: "not estimated; add --dry-run, or use tacho isa" };
  const worst = isa[part];
  if (worst === null) {
    return { kind: "missing", why: "a kernel does not compile, or has no such figure; see tacho isa" };
  }
  const { value, kernel, gpu } = worst;
  return { kind: "number", value, unit: "", blocks: null, interval: null, place: `${kernel} on ${gpu}` };
}

/** Reads the loss of a step. */
export function readLoss({ losses }: VariantResult, step: number): Reading {
  const loss = losses[step] ?? null;
  return point(loss === null ? null : fromLoss(loss));
}

/** Reads the speed-up by round, with the comparison's interval if there is one. */
function readSpeedup(result: Pick<Result, "variants" | "baseline">, variant: VariantResult): Reading {
  const { speedup } = variant.metrics;
  if (speedup === null) return { kind: "missing", why: "no round completed by both the variant and the baseline" };
  const baseline = result.variants.find(({ name }) => name === result.baseline);
  const blocks = variant.blocks.flatMap((block) => {
    const reference = baseline?.blocks.find(({ round }) => round === block.round);
    const [a, b] = [rate(block), reference === undefined ? null : rate(reference)];
    return a === null || b === null ? [] : [a / b];
  });
  const compared = variant.comparison === null ? null : estimate(variant.comparison.speedup, "ratio");
  if (compared?.kind === "number") return { ...compared, blocks };
  return { kind: "number", value: speedup.value, unit: "ratio", blocks, interval: within(speedup.value, blocks) };
}

/** A metric of one variant alone. */
type BlockMetric = Exclude<MetricName, "speedup">;

function readPhase(variant: VariantResult, phase: string): Reading {
  return readBlocks(variant, ofPhase(variant.metrics, phase), (block) => mean(block, (step) => ofPhase(step, phase)));
}

function readField(variant: VariantResult, name: BlockMetric): Reading {
  return readBlocks(variant, variant.metrics[name] ?? null, blockValue(name));
}

/** @param of computes the metric of a block; null if it is not measured per block */
function readBlocks(
  variant: VariantResult,
  metric: Metric | null,
  of: ((block: Block) => number | null) | null,
): Reading {
  if (metric === null) return NOT_MEASURED;
  const { value, unit } = metric;
  if (of === null) return point(value, unit);
  const blocks = variant.blocks.map(of).filter((value) => value !== null);
  return { kind: "number", value, unit, blocks, interval: within(value, blocks) };
}

/** Returns the function that computes a metric of a block; null if it is not measured per block. */
function blockValue(name: BlockMetric): ((block: Block) => number | null) | null {
  switch (name) {
    case "ips":
      return rate;
    case "deviceBusy":
      return busyShare;
    case "allReduce":
      return (block) => mean(block, allReduceOf);
    case "batchCost":
    case "readerCost":
    case "stepTime":
    case "iterationGap":
      return (block) => mean(block, (step) => step[name]);
    default:
      return null;
  }
}

function rate({ samples, wall }: Block): number | null {
  return wall > 0 && samples > 0 ? samples / wall * 1000 : null;
}

function mean({ steps }: Block, time: (step: Block["steps"][number]) => number | null): number | null {
  const known = steps.map(time).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Returns the interval, extended to include the value: a mean of times, in which a slow block weighs more. */
function within(value: number, blocks: readonly number[]): Interval | null {
  const interval = blockInterval(blocks);
  return interval === null ? null : { low: Math.min(interval.low, value), high: Math.max(interval.high, value) };
}

function estimate(found: { value: number; low: number | null; high: number | null } | null, unit: string): Reading {
  if (found === null) return NOT_MEASURED;
  const { value, low, high } = found;
  return { kind: "number", value, unit, blocks: null, interval: low === null || high === null ? null : { low, high } };
}

function point(value: number | null, unit = ""): Reading {
  return value === null ? NOT_MEASURED : { kind: "number", value, unit, blocks: null, interval: null };
}

function word(value: string | null, why: string): Reading {
  return value === null ? { kind: "missing", why } : { kind: "word", word: value };
}
