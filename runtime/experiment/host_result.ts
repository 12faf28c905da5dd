import type { VariantResult } from "../result/schema.ts";
import { unmeasuredVariant } from "../result/unmeasured.ts";

/** Measurements of an arm that is timed on the host. */
export type HostMeasurements = Pick<VariantResult, "metrics" | "status" | "error" | "blocks" | "losses">;

/** Returns the result of an arm that is timed on the host, such as a program, without comparisons. */
export function hostResult(
  name: string,
  config: VariantResult["config"],
  measured: HostMeasurements,
): VariantResult {
  return { ...unmeasuredVariant(name, config), ...measured };
}
