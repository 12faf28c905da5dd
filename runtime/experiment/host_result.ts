import type { VariantResult } from "../result/schema.ts";

/** Measurements of an arm that is timed on the host. */
export type HostMeasurements = Pick<VariantResult, "metrics" | "status" | "error" | "blocks" | "losses">;

/** Returns the result of an arm that is timed on the host, such as a program, without comparisons. */
export function hostResult(
  name: string,
  config: VariantResult["config"],
  measured: HostMeasurements,
): VariantResult {
  return {
    name,
    axes: {},
    config,
    ...measured,
    planFingerprint: null,
    parameters: null,
    bound: null,
    finalLoss: null,
    overflows: null,
    measuredOverflows: null,
    lossScale: null,
    counts: null,
    timestamps: null,
    autotune: null,
    ops: [],
    profile: null,
    queues: {},
    pipeline: null,
    evaluations: [],
    verdict: null,
    comparison: null,
    stepTimes: null,
    outliers: null,
    quality: null,
    seeds: null,
    target: null,
    memory: null,
    bottleneck: null,
    findings: [],
  };
}
