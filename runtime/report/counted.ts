import type { Metrics } from "../result/schema.ts";

/** Returns what blocks count: tokens where throughput is in tokens per second, else samples. */
export function countedNoun(
  variants: readonly { readonly metrics: { readonly ips: Pick<NonNullable<Metrics["ips"]>, "unit"> | null } }[],
): "sample" | "token" {
  return variants.some(({ metrics: { ips } }) => ips?.unit === "tokens/s") ? "token" : "sample";
}
