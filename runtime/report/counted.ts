import type { Metrics } from "../result/schema.ts";

/** Returns what blocks count, by the unit of the throughput: tokens, steps of programs, else samples. */
export function countedNoun(
  variants: readonly { readonly metrics: { readonly ips: Pick<NonNullable<Metrics["ips"]>, "unit"> | null } }[],
): "sample" | "token" | "step" {
  const units = variants.map(({ metrics: { ips } }) => ips?.unit);
  return units.includes("tokens/s") ? "token" : units.includes("steps/s") ? "step" : "sample";
}
