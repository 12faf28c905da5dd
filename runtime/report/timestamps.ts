import type { Defects, VariantResult } from "../result/schema.ts";
import type { FootLine } from "./matrix/verdicts.ts";
import { formatCount, formatCounted, formatPercent } from "./format.ts";
import { perVariant } from "./plain_text.ts";

/** Returns the counts of doubtful timestamps by defect; null if there are none. */
export function doubtful(counts: Defects): string | null {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? null : some.map(([name, count]) => `${formatCount(count)} ${name}`).join(", ");
}

/** Returns what limits the device times of a result: passes without usable times, and resets of the device's clock. */
export function timestampFacts(variants: readonly VariantResult[]): FootLine[] {
  const coverage = variants.flatMap(({ name, timestamps }): [string, string][] => {
    const defects = timestamps === null ? null : doubtful(timestamps.defects);
    if (timestamps === null || (timestamps.usable === timestamps.passes && defects === null)) return [];
    const share = `${formatPercent(timestamps.usable / timestamps.passes)} %`;
    return [[name, defects === null ? share : `${share} (${defects})`]];
  });
  const resets = Math.max(0, ...variants.map(({ timestamps }) => timestamps?.clockResets ?? 0));
  const lost = variants.some(({ timestamps }) => timestamps !== null && timestamps.usable < timestamps.passes);
  const tone = lost ? { tone: "warning" as const } : {};
  return [
    ...coverage.length === 0
      ? []
      : [{ text: `passes with usable timestamps: ${perVariant(coverage, variants.length)}`, ...tone }],
    ...resets === 0 ? [] : [{
      text: `the device's clock wrapped around or was reset ${formatCounted(resets, "time")} and was fitted again`,
    }],
  ];
}
