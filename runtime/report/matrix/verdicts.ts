import { fromLoss, type Result, type VariantResult } from "../../result/schema.ts";
import type { Tone } from "../color.ts";
import { formatPercent, formatProbability } from "../format.ts";
import { nameInProse, namesInProse } from "../plain_text.ts";

/** A sentence of the foot. */
export interface FootLine {
  readonly text: string;
  readonly tone?: Tone;
}

/** A corrected p from here on is no evidence. */
const SIGNIFICANCE = 0.05;

/** More noise than this says no more. */
const MOST_NOISE = 10;

/** Of a large sweep not every reason is told. */
const MOST_REASONS = 5;

/** Why verdicts are `invalid` or `unclear`, the same reason once; and whether the baseline learns anything itself. */
export function verdictReasons({ variants, baseline }: Result): FootLine[] {
  const last = variants.find(({ name }) => name === baseline)?.losses.at(-1) ?? null;
  const lost = last === null || Number.isFinite(fromLoss(last)) ? [] : [
    {
      text: `invalid: ${
        nameInProse(baseline)
      }, the baseline: its last loss is ${last}, no other can be held against it`,
      tone: "bad",
    } as const,
  ];
  const reasons = (["invalid", "unclear"] as const).flatMap((verdict) => {
    const reasons = [...Map.groupBy(variants.filter((variant) => variant.verdict === verdict), reasonOf)];
    const more = reasons.slice(MOST_REASONS).flatMap(([, own]) => own);
    const texts = reasons.slice(0, MOST_REASONS).map(([reason, own]) => `${verdict}: ${names(own)}: ${reason}`);
    if (more.length > 0) texts.push(`${verdict} as well: ${names(more)}; their reasons are in the JSON`);
    return texts.map((text) => ({ text, tone: verdict === "invalid" ? "bad" : "warning" } as const));
  });
  return [...lost, ...reasons];
}

function reasonOf({ comparison, quality }: VariantResult): string {
  if (comparison !== null) return comparison.reason;
  return quality !== null && !quality.kept ? "the loss left its tolerance" : "no round was whole";
}

/** What a difference is held against: the noise floor, the band, and what the rounds can tell at all. */
export function judgedBy(result: Result): string[] {
  const { variants, noiseFloor, procedure, baseline } = result;
  const comparisons = variants.flatMap(({ comparison }) => comparison ?? []);
  const [first] = comparisons;
  const band = Math.max(0, ...comparisons.map((comparison) => comparison.band));
  const floor = noiseFloor === null
    ? first === undefined ? null : `noise floor: –, ${nameInProse(baseline)} ran once only`
    : `noise floor: ${percent(noiseFloor.value)}, by which ${nameInProse(baseline)} differs from itself` +
      (noiseFloor.low === null || noiseFloor.high === null
        ? ""
        : ` (${percent(noiseFloor.low)} to ${noiseFloor.high > MOST_NOISE ? "more than " : ""}${
          percent(Math.min(noiseFloor.high, MOST_NOISE))
        })`);
  const counted = first === undefined || band === 0 ? null : `less than ${percent(band)} counts as no difference` +
    (procedure !== null && procedure.minEffect === band ? " (measure.minEffect)" : "");
  const sentences = [floor, counted].filter((part) => part !== null);
  return [...sentences.length === 0 ? [] : [sentences.join("; ")], ...tested(comparisons)];
}

function tested(comparisons: readonly NonNullable<VariantResult["comparison"]>[]): string[] {
  const smallest = Math.min(1, ...comparisons.map(({ smallestP }) => smallestP ?? 1));
  const pairs = Math.max(0, ...comparisons.map((comparison) => comparison.pairs));
  if (comparisons.length === 0 || smallest * comparisons.length < SIGNIFICANCE) return [];
  const corrected = comparisons.length === 1 ? "" : `, before the correction for ${comparisons.length} variants`;
  return [
    `p: ${pairs === 1 ? "1 round" : `${pairs} rounds`} can reach ${
      formatProbability(smallest)
    } at the least${corrected}`,
  ];
}

/** How intervals and p were made, for the signs. */
export function verdictLegend({ variants }: Result): string[] {
  const comparisons = variants.flatMap(({ comparison }) => comparison ?? []);
  if (comparisons.length === 0) return [];
  const p = "p: that of a sign-flip test over rounds" +
    (comparisons.length > 1 ? `, corrected for ${comparisons.length} variants` : "");
  const measured = comparisons.find(({ speedup }) => speedup.low !== null);
  if (measured === undefined) return [p];
  return [`interval: ${formatPercent(measured.level)} %, of the ratio over rounds, by ${measured.method}; ${p}`];
}

function names(variants: readonly VariantResult[]): string {
  return namesInProse(variants.map(({ name }) => name));
}

function percent(part: number): string {
  return part > 0 && part < 0.0005 ? "<0.1 %" : `${formatPercent(part)} %`;
}
