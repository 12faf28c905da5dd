import type { VariantConfig } from "./config.ts";
import type { Metrics, VariantResult } from "./schema.ts";

/** Metrics of a variant without measurements. */
export const NOT_MEASURED: Metrics = {
  ips: null,
  speedup: null,
  batchCost: null,
  readerCost: null,
  stepTime: null,
  iterationGap: null,
  forward: null,
  backward: null,
  update: null,
  deviceBusy: null,
  runtimeWait: null,
  setup: null,
  firstStep: null,
  profilingCost: null,
  accuracy: null,
};

/** Returns a variant with nothing but its settings. */
export function unmeasuredVariant(name: string, config: VariantConfig): VariantResult {
  return {
    name,
    axes: {},
    config,
    status: "ok",
    error: null,
    planFingerprint: null,
    parameters: null,
    metrics: NOT_MEASURED,
    bound: null,
    finalLoss: null,
    overflows: null,
    measuredOverflows: null,
    lossScale: null,
    counts: null,
    timestamps: null,
    blocks: [],
    autotune: null,
    ops: [],
    profile: null,
    queues: {},
    pipeline: null,
    losses: [],
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
