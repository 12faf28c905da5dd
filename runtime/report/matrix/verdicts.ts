import { type Comparison, fromLoss, type Result, type VariantResult } from "../../result/schema.ts";
import type { Tone } from "../color.ts";
import {
  formatCounted,
  formatInterval,
  formatPercent,
  formatProbability,
  formatRatio,
  percentText,
} from "../format.ts";
import { nameInProse, namesInProse } from "../plain_text.ts";

/** Sentence below the matrix. */
export interface FootLine {
  readonly text: string;
  readonly tone?: Tone;
}

/** Corrected p-values below this are significant. */
const SIGNIFICANCE = 0.05;

/** Highest noise floor that is shown in figures. */
const MAX_NOISE = 10;

/** Reasons listed for each verdict; large sweeps omit the rest. */
const MAX_REASONS = 5;

/** Returns why verdicts are `invalid` or `unclear`, equal reasons once, and whether the baseline's loss diverged. */
export function verdictReasons({ variants, baseline }: Result): FootLine[] {
  const last = variants.find(({ name }) => name === baseline)?.losses.at(-1) ?? null;
  const lost = last === null || Number.isFinite(fromLoss(last)) ? [] : [
    {
      text: `invalid: ${nameInProse(baseline)}: the baseline's last loss is ${last}, nothing can be compared with it`,
      tone: "bad",
    } as const,
  ];
  const reasons = (["invalid", "unclear"] as const).flatMap((verdict) => {
    const reasons = [...Map.groupBy(variants.filter((variant) => variant.verdict === verdict), reasonOf)];
    const more = reasons.slice(MAX_REASONS).flatMap(([, own]) => own);
    const texts = reasons.slice(0, MAX_REASONS).map(([reason, own]) => `${verdict}: ${names(own)}: ${reason}`);
    if (more.length > 0) texts.push(`also ${verdict}: ${names(more)}; the JSON report has the reasons`);
    return texts.map((text) => ({ text, tone: verdict === "invalid" ? "bad" : "warning" } as const));
  });
  return [...lost, ...reasons];
}

function reasonOf({ comparison, quality }: VariantResult): string {
  // The interval stands in the matrix
  if (comparison !== null) return comparison.reason.replace(/^×\S+ to ×\S+ leaves/, "the interval leaves");
  return quality !== null && !quality.kept ? "the loss is outside its tolerance" : "no round was completed";
}

/** Returns the geometric means over rounds, and the speeds over all blocks, that lie outside the intervals of the ratio. */
export function disagreements({ variants, baseline }: Result): string[] {
  const speed = variants.find(({ name }) => name === baseline)?.metrics.ips?.value ?? null;
  return variants.flatMap((variant) =>
    disagreement(variant.name, variant.comparison) ?? otherSpeed(variant, speed, baseline) ?? []
  );
}

/** Returns the ratio of the speeds over all blocks where it lies outside the interval. */
function otherSpeed(
  { name, comparison, metrics }: VariantResult,
  speed: number | null,
  baseline: string,
): string | null {
  const { low = null, high = null } = comparison?.speedup ?? {};
  if (low === null || high === null || speed === null || metrics.ips === null) return null;
  const ratio = metrics.ips.value / speed;
  if (ratio >= low && ratio <= high) return null;
  return `${nameInProse(name)}: over all blocks its speed is ${formatRatio(ratio)} of ${nameInProse(baseline)}'s, ` +
    "outside the interval: some blocks took far longer";
}

/** Returns the largest difference that counts as none, and the smallest possible p. */
export function judgedBy({ variants, noiseFloor, baseline }: Result): string[] {
  const comparisons = variants.flatMap(({ comparison }) => comparison ?? []);
  const floor = comparisons.length === 0 ? null : differenceThatCounts(comparisons, noiseFloor, nameInProse(baseline));
  return [floor, smallestP(comparisons)].filter((sentence) => sentence !== null);
}

function differenceThatCounts(comparisons: readonly Comparison[], floor: number | null, baseline: string): string {
  const none = `differences up to ${percentText(Math.max(...comparisons.map(({ band }) => band)))} count as none`;
  if (floor === null) return `${none} (measure.minEffect); ${baseline} ran only once, which gives no noise floor`;
  const difference = `${floor > MAX_NOISE ? "more than " : ""}${percentText(Math.min(floor, MAX_NOISE))}`;
  return `${none}: the larger of measure.minEffect and the noise floor, the ${difference} by which two runs of ` +
    `${baseline} differ beyond the noise of their blocks`;
}

/** Returns the geometric mean over rounds where it lies outside the interval. */
function disagreement(name: string, comparison: Comparison | null): string | null {
  if (comparison === null || comparison.companion?.disagrees !== true) return null;
  const { value, low, high } = comparison.companion.ratio;
  const interval = low === null || high === null ? "" : ` (${formatInterval(low, high)})`;
  return `${nameInProse(name)}: the geometric mean over rounds is ${formatRatio(value)}${interval}, ` +
    "outside the interval: some blocks took far longer";
}

/** Returns the smallest possible p, where the rounds are too few for a significant one. */
function smallestP(comparisons: readonly Comparison[]): string | null {
  const smallest = Math.min(1, ...comparisons.map(({ smallestP }) => smallestP ?? 0));
  const pairs = Math.max(0, ...comparisons.map((comparison) => comparison.pairs));
  if (comparisons.length === 0 || smallest * comparisons.length < SIGNIFICANCE) return null;
  const corrected = comparisons.length === 1 ? "" : `, before correction for ${comparisons.length} variants`;
  return `p: ${formatCounted(pairs, "round")} cannot give less than ${formatProbability(smallest)}${corrected}`;
}

/** Returns how intervals and p-values were computed. */
export function verdictLegend({ variants }: Result): string[] {
  const comparisons = variants.flatMap(({ comparison }) => comparison ?? []);
  if (comparisons.length === 0) return [];
  const p = testOf(comparisons) + (comparisons.length > 1 ? `, corrected for ${comparisons.length} variants` : "");
  const measured = comparisons.find(({ speedup }) => speedup.low !== null);
  if (measured === undefined) return [p];
  const reached = Math.max(...comparisons.map((comparison) => comparison.reached ?? 0));
  const rounds = Math.max(...comparisons.map(({ pairs }) => pairs));
  const exact = reached - measured.level < 0.005 ? "" : `, ${formatPercent(reached)} % with ${rounds} rounds`;
  return [
    `interval: ${formatPercent(measured.level)} % confidence interval of the ratio${exact}, by ${measured.method}`,
    p,
  ];
}

function testOf(comparisons: readonly Comparison[]): string {
  const model = comparisons.find(({ smallestP }) => smallestP === null);
  if (model !== undefined) {
    return `p: ${model.method}${isOverNodes(model) ? "" : "; more set-ups would allow an exact test"}`;
  }
  const bySetup = comparisons.some(({ setups, pairs }) => setups > 1 && setups < pairs);
  return `p: exact paired test over ${bySetup ? "set-ups" : "rounds"}`;
}

function isOverNodes({ method }: Comparison): boolean {
  return method.startsWith("random effects");
}

function names(variants: readonly VariantResult[]): string {
  return namesInProse(variants.map(({ name }) => name));
}
