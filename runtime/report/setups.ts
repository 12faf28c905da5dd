import { percentText } from "./format.ts";
import type { Comparison, Procedure, VariantResult } from "../result/schema.ts";

/**
 * Returns how often the variants were set up, the time it took, and the spread of their speed-ups by level; null where
 * nothing was compared.
 *
 * @param comparisons of all variants, and of the control arm
 */
export function setupsText({ setups }: Procedure, comparisons: readonly Comparison[]): string | null {
  if (comparisons.length === 0) return null;
  const { count, share, processes = false } = setups;
  if (count === 1) {
    const what = processes ? "one process of each variant" : "one of each variant";
    return `${what}: a lasting difference between two set-ups would count as an effect`;
  }
  const time = share === null ? "" : `, ${percentText(share)} of the time`;
  const what = processes ? `${count} fresh processes of each variant` : `${count} of each variant`;
  return [`${what}${time}`, spreadText(comparisons)].filter((part) => part !== null).join("; ");
}

/** Returns the comparisons of the variants and of the control arm. */
export function comparisonsOf(
  variants: readonly Pick<VariantResult, "comparison">[],
  { secondArm }: Procedure,
): readonly Comparison[] {
  return [...variants, secondArm].flatMap((arm) => arm?.comparison ?? []);
}

function spreadText(comparisons: readonly Comparison[]): string | null {
  const largest = (level: keyof Comparison["spread"]) => {
    const known = comparisons.flatMap(({ spread }) => spread[level] ?? []);
    return known.length === 0 ? null : `±${percentText(Math.expm1(Math.max(...known)))}`;
  };
  const [setups, rounds] = [largest("setups"), largest("rounds")];
  if (setups === null) return null;
  return `speed-ups spread by up to ${setups} between set-ups` +
    (rounds === null ? " of one round each" : `, ${rounds} between the rounds of one`);
}
