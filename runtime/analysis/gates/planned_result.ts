import { ExitStatus } from "../../core/errors.ts";
import type { DryRun, DryRunVariant } from "../../result/dry_run.ts";
import type { Metrics, VariantResult } from "../../result/schema.ts";
import type { GatedResult } from "./evaluate_gates.ts";

/** Returns what a dry run has of a result, so that gates on plans need no run and no device. */
export function plannedResult({ variants, baseline }: DryRun): GatedResult {
  return { baseline, variants: variants.map(plannedVariant) };
}

function plannedVariant({ name, config, parameters, exact, memory, error }: DryRunVariant): VariantResult {
  return {
    name,
    axes: {},
    config,
    status: error === null ? "ok" : "failed",
    error: error === null ? null : { message: error, exitStatus: ExitStatus.badInput },
    planFingerprint: null,
    parameters,
    metrics: NOT_MEASURED,
    bound: null,
    finalLoss: null,
    overflows: null,
    measuredOverflows: null,
    lossScale: null,
    counts: null,
    ...exact === null ? {} : { exact },
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
    memory,
    bottleneck: null,
    findings: [],
  };
}

const NOT_MEASURED: Metrics = {
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
