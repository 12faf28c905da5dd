import { ExitStatus } from "../../core/errors.ts";
import type { DryRun, DryRunVariant } from "../../result/dry_run.ts";
import type { VariantResult } from "../../result/schema.ts";
import { unmeasuredVariant } from "../../result/unmeasured.ts";
import type { GatedResult } from "./evaluate_gates.ts";

/** Returns what a dry run has of a result, so that gates on plans need no run and no device. */
export function plannedResult({ variants, baseline }: DryRun): GatedResult {
  return { baseline, variants: variants.map(plannedVariant) };
}

function plannedVariant({ name, config, parameters, exact, memory, error }: DryRunVariant): VariantResult {
  return {
    ...unmeasuredVariant(name, config),
    status: error === null ? "ok" : "failed",
    error: error === null ? null : { message: error, exitStatus: ExitStatus.badInput },
    parameters,
    ...exact === null ? {} : { exact },
    memory,
  };
}
