import type { VariantResult } from "../../result/schema.ts";
import { outputDifference, type OutputTolerance } from "./outputs.ts";

/**
 * Compares the outputs of an arm with the baseline's, one by one; undefined where the baseline has none.
 *
 * @param own outputs of the arm in their order
 */
export function compareOutputs(
  own: readonly unknown[],
  baseline: readonly unknown[],
  tolerance: OutputTolerance,
): VariantResult["outputs"] | undefined {
  if (baseline.length === 0) return undefined;
  const several = Math.max(own.length, baseline.length) > 1;
  for (let i = 0; i < Math.max(own.length, baseline.length); i++) {
    const place = `output${several ? ` ${i + 1}` : ""}`;
    if (i >= own.length || i >= baseline.length) {
      const [value, other] = [own, baseline].map((list) => i < list.length ? "there" : "missing") as [string, string];
      return { compared: i, difference: { where: place, value, baseline: other } };
    }
    const difference = outputDifference(own[i], baseline[i], tolerance);
    if (difference !== null) {
      return { compared: i + 1, difference: { ...difference, where: `${place} ${difference.where}`.trim() } };
    }
  }
  return { compared: own.length, difference: null };
}

/** Returns why the outputs of a variant are not the baseline's; null where they are, or nothing was compared. */
export function outputReason({ outputs }: Pick<VariantResult, "outputs">, baseline: string): string | null {
  const { difference = null } = outputs ?? {};
  if (difference === null) return null;
  const { where, value, baseline: other } = difference;
  return `the outputs differ: ${where} is ${value}, of ${baseline} ${other}; measure.outputs ` +
    "(--output-tolerance) accepts rounding";
}
