import { roundsToReject } from "../analysis/comparison/winsorised.ts";
import type { Procedure, VariantResult } from "../result/schema.ts";
import { formatCounted, formatNumber, formatPercent, formatProbability, MISSING } from "./format.ts";
import { nameInProse, namesInProse } from "./plain_text.ts";

type Judged =
  & Pick<VariantResult, "name" | "verdict" | "comparison" | "metrics">
  & Partial<Pick<VariantResult, "error">>;

/** Speed-ups from this on, and below its inverse, are given as a factor instead of a percentage. */
const FACTOR = 2;

/** Largest number of names in a headline. */
const MAX_NAMES = 3;

/** Result of a run in one sentence. */
export interface Headline {
  /** Variant at the start of the sentence; null where there is none. */
  readonly variant: string | null;
  /** The sentence, or what follows the variant's name. */
  readonly text: string;
}

/**
 * Returns the sentence to quote of a run: the fastest variant by its verdict, by how much, and how sure that is. Without a
 * faster variant it names the slowest, and without a verdict it says so; null where there is nothing to compare.
 */
export function headlineOf(
  { variants, baseline, procedure = null }: {
    readonly variants: readonly Judged[];
    readonly baseline: string;
    readonly procedure?: Pick<Procedure, "statistic"> | null;
  },
): Headline | null {
  const at = procedure?.statistic === undefined ? "" : ` at ${procedure.statistic}`;
  const others = variants.filter(({ name }) => name !== baseline);
  if (others.length === 0) return null;
  const of = (wanted: VariantResult["verdict"]) =>
    others.filter(({ verdict }) => verdict === wanted).toSorted((a, b) => speedup(b) - speedup(a));
  const [faster, slower] = [of("faster"), of("slower")];
  const [best, worst] = [faster[0], slower.at(-1)];
  if (best !== undefined) return named(best, baseline, at, moreText(faster.length - 1, "faster"));
  if (worst !== undefined) {
    const more = moreText(slower.length - 1, "slower");
    return named(worst, baseline, at, more === "" ? "; no variant is faster" : more);
  }
  const hasFailed = variants.some(({ name, error = null }) => name === baseline && error !== null);
  return {
    variant: null,
    text: hasFailed
      ? `No verdict: ${nameInProse(baseline)} failed, and the others are compared with it.`
      : undecided(others, baseline),
  };
}

/** Returns the headline as a whole sentence; empty where there is nothing to compare. */
export function headlineText(run: Parameters<typeof headlineOf>[0]): string {
  const headline = headlineOf(run);
  if (headline === null) return "";
  return headline.variant === null ? headline.text : nameInProse(headline.variant) + headline.text;
}

function named(variant: Judged, baseline: string, at: string, more: string): Headline {
  const text = ` is ${amountText(speedup(variant))} ${nameInProse(baseline)}${at}${certaintyText(variant)}${more}.`;
  return { variant: variant.name, text };
}

/** Formats a speed-up: `21 % faster than`, `5.9 % slower than`, `2.41 times as fast as`. */
function amountText(ratio: number): string {
  if (isFactor(ratio)) return `${formatNumber(ratio)} times as fast as`;
  return `${formatPercent(Math.abs(ratio - 1))} % ${ratio < 1 ? "slower" : "faster"} than`;
}

/** Formats the interval and p of a speed-up: ` (95 % interval 17 to 25 %, p = 0.008)`. */
function certaintyText(variant: Judged): string {
  const { comparison } = variant;
  if (comparison === null) return "";
  const { speedup: { low, high }, level, adjustedP, p } = comparison;
  const probability = adjustedP ?? p;
  const parts = [
    low === null || high === null
      ? null
      : `${formatPercent(level)} % interval ${intervalText(speedup(variant), low, high)}`,
    probability === null ? null : probabilityText(probability),
  ].filter((part) => part !== null);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function intervalText(ratio: number, low: number, high: number): string {
  if (isFactor(ratio)) return `${formatNumber(low)} to ${formatNumber(high)}`;
  const [from, to] = ratio < 1 ? [1 - high, 1 - low] : [low - 1, high - 1];
  return `${formatPercent(from)} to ${formatPercent(to)} %`;
}

function probabilityText(p: number): string {
  const text = formatProbability(p);
  return text.startsWith("<") ? `p < ${text.slice(1)}` : `p = ${text}`;
}

function isFactor(ratio: number): boolean {
  return ratio >= FACTOR || ratio <= 1 / FACTOR;
}

function moreText(count: number, verdict: "faster" | "slower"): string {
  return count === 0 ? "" : `; ${formatCounted(count, "more variant")} ${count === 1 ? "is" : "are"} ${verdict}`;
}

/** Returns the headline of a run without a faster or slower variant. */
function undecided(others: readonly Judged[], baseline: string): string {
  const unclear = others.filter(({ verdict }) => verdict === "unclear");
  const same = others.filter(({ verdict }) => verdict === "same");
  const against = nameInProse(baseline);
  if (unclear.length > 0) {
    const rounds = Math.max(0, ...unclear.map(({ comparison }) => comparison?.pairs ?? 0));
    const needed = roundsToReject(others.length);
    if (rounds > 0 && rounds < needed) {
      return `The variants were not compared: that takes ${
        formatCounted(needed, "round")
      }, and this run has ${rounds}.`;
    }
    const variants = namesInProse(unclear.map(({ name }) => name), MAX_NAMES);
    const after = rounds === 0 ? "" : ` after ${formatCounted(rounds, "round")}`;
    return `No verdict${after}: ${variants} may be faster or slower than ${against}.`;
  }
  if (same.length > 0) {
    const band = Math.max(...same.map(({ comparison }) => comparison?.band ?? 0));
    const variants = namesInProse(same.map(({ name }) => name), MAX_NAMES);
    return `${variants} ${same.length === 1 ? "is" : "are"} as fast as ${against}, within ${formatPercent(band)} %.`;
  }
  return others.some(({ verdict }) => verdict === "invalid")
    ? `No variant can be compared with ${against}: what they compute differs.`
    : `${MISSING} no verdict: this run did not compare its blocks.`;
}

function speedup({ comparison, metrics }: Judged): number {
  return comparison?.speedup.value ?? metrics.speedup?.value ?? 0;
}
