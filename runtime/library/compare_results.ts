import type { Result } from "../result/schema.ts";
import type { ComparisonOptions, ResultComparison } from "./comparison_of.ts";

/**
 * Compares two results metric by metric, as `tacho compare` does.
 *
 * @throws {InputError} if a metric is unknown
 *
 * @example
 * ```ts
 * import { compareResults, type Result } from "@tacho/tacho";
 *
 * async function changes(then: Result, now: Result) {
 *   const { variants } = await compareResults(then, now, { metrics: ["ips"] });
 *   return variants.map(({ name, metrics: [ips] }) => `${name}: ${ips?.change?.value.toFixed(2) ?? "–"}`);
 * }
 * ```
 */
export async function compareResults(
  then: Result,
  now: Result,
  options: ComparisonOptions = {},
): Promise<ResultComparison> {
  const { comparisonOf } = await import("./comparison_of.ts");
  return comparisonOf(then, now, options);
}
