import { quantile } from "../../core/statistics.ts";
import type { Block } from "../../result/schema.ts";
import { formatCounted, formatPercent } from "../format.ts";
import type { ComparedResult } from "./column.ts";

/** Spread of the baseline's blocks from which on the machine counts as noisy. */
const NOISY = 0.1;

/** Advice for a noisy machine. */
const QUIETER = "close other programs, or use longer blocks (measure.steps)";

/** Returns the interquartile range of the blocks' speeds relative to their median; null for fewer than two blocks. */
export function spreadOf(blocks: readonly Pick<Block, "samples" | "wall">[]): number | null {
  if (blocks.length < 2) return null;
  const speeds = blocks.map(({ samples, wall }) => samples / wall).sort((a, b) => a - b);
  return (quantile(speeds, 0.75) - quantile(speeds, 0.25)) / quantile(speeds, 0.5);
}

/**
 * Returns how much the baseline's blocks differ, and the smallest difference that this number of rounds shows at this noise:
 * `blocks differ by 6 % · 16 rounds show differences above 4 %`. Returns [] where nothing is compared by intervals.
 */
export function noiseTexts({ variants, baseline }: ComparedResult): string[] {
  const spread = spreadOf(variants.find(({ name }) => name === baseline)?.blocks ?? []);
  const shown = variants.flatMap(({ comparison }) => {
    const { low = null, high = null } = comparison?.speedup ?? {};
    // An interval is clear of the band if the difference exceeds half of its width and the band
    return low === null || high === null ? [] : [Math.sqrt(high / low) * (1 + comparison!.band) - 1];
  }).sort((a, b) => a - b);
  if (spread === null || shown.length === 0) return [];
  const rounds = Math.max(...variants.map(({ comparison }) => comparison?.pairs ?? 0));
  return [
    `blocks differ by ${formatPercent(spread)} %`,
    `${formatCounted(rounds, "round")} show differences above ${formatPercent(quantile(shown, 0.5))} %`,
    ...spread > NOISY ? [QUIETER] : [],
  ];
}
