import { type Comparison, fromLoss, type Metric, type Result, type VariantResult } from "../../result/schema.ts";
import type { Tone } from "../color.ts";
import { formatCounted, formatPercent, formatProbability } from "../format.ts";
import { nameInProse, namesInProse } from "../plain_text.ts";

/** Sentence below the matrix. */
export interface FootLine {
  readonly text: string;
  readonly tone?: Tone;
}

/** Corrected p-values below this are significant. */
const SIGNIFICANCE = 0.05;

/** Highest upper end of the noise floor that is shown in figures. */
const MOST_NOISE = 10;

/** Reasons listed for each verdict; large sweeps omit the rest. */
const MOST_REASONS = 5;

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
    const more = reasons.slice(MOST_REASONS).flatMap(([, own]) => own);
    const texts = reasons.slice(0, MOST_REASONS).map(([reason, own]) => `${verdict}: ${names(own)}: ${reason}`);
    if (more.length > 0) texts.push(`also ${verdict}: ${names(more)}; the JSON report has the reasons`);
    return texts.map((text) => ({ text, tone: verdict === "invalid" ? "bad" : "warning" } as const));
  });
  return [...lost, ...reasons];
}

function reasonOf({ comparison, quality }: VariantResult): string {
  if (comparison !== null) return comparison.reason;
  return quality !== null && !quality.kept ? "the loss is outside its tolerance" : "no round was completed";
}

/** Returns the thresholds behind the verdicts: noise floor, smallest difference that counts, smallest possible p. */
export function judgedBy(result: Result): string[] {
  const { variants, noiseFloor, procedure, baseline } = result;
  const comparisons = variants.flatMap(({ comparison }) => comparison ?? []);
  const [first] = comparisons;
  const band = Math.max(0, ...comparisons.map((comparison) => comparison.band));
  const floor = noiseFloor === null
    ? first === undefined ? null : `noise floor: –, ${nameInProse(baseline)} ran only once`
    : `noise floor: ${percent(noiseFloor.value)}${range(noiseFloor)}, the difference between two runs of ${
      nameInProse(baseline)
    }`;
  const counted = first === undefined || band === 0 ? null : `differences below ${percent(band)} count as none` +
    (procedure !== null && procedure.minEffect === band ? " (measure.minEffect)" : "");
  return [floor, counted, smallestP(comparisons)].filter((sentence) => sentence !== null);
}

function range({ low, high }: Metric): string {
  if (low === null || high === null) return "";
  return ` (${percent(low)} to ${high > MOST_NOISE ? "more than " : ""}${percent(Math.min(high, MOST_NOISE))})`;
}

/** Returns the smallest possible p, where the rounds are too few for a significant one. */
function smallestP(comparisons: readonly Comparison[]): string | null {
  const smallest = Math.min(1, ...comparisons.map(({ smallestP }) => smallestP ?? 1));
  const pairs = Math.max(0, ...comparisons.map((comparison) => comparison.pairs));
  if (comparisons.length === 0 || smallest * comparisons.length < SIGNIFICANCE) return null;
  const corrected = comparisons.length === 1 ? "" : `, before correction for ${comparisons.length} variants`;
  return `p: ${formatCounted(pairs, "round")} cannot give less than ${formatProbability(smallest)}${corrected}`;
}

/** Returns how intervals and p-values were computed. */
export function verdictLegend({ variants }: Result): string[] {
  const comparisons = variants.flatMap(({ comparison }) => comparison ?? []);
  if (comparisons.length === 0) return [];
  const p = "p: sign-flip test over rounds" +
    (comparisons.length > 1 ? `, corrected for ${comparisons.length} variants` : "");
  const measured = comparisons.find(({ speedup }) => speedup.low !== null);
  if (measured === undefined) return [p];
  return [`interval: ${formatPercent(measured.level)} % confidence interval of the ratio, by ${measured.method}`, p];
}

function names(variants: readonly VariantResult[]): string {
  return namesInProse(variants.map(({ name }) => name));
}

function percent(part: number): string {
  return part > 0 && part < 0.0005 ? "<0.1 %" : `${formatPercent(part)} %`;
}
