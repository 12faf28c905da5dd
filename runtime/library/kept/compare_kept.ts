import { type EnvironmentDifference, environmentDifferences } from "../../analysis/environment_differences.ts";
import { compareRuns, type VariantPair } from "../../analysis/run_comparison.ts";
import type { Result } from "../../result/schema.ts";
import type { RunRecord } from "../../store/records.ts";
import { specDifferences } from "../../store/run_spec.ts";
import { portableSpec } from "./portable_spec.ts";

/** A kept run with its result. */
export interface RunWithResult {
  readonly run: RunRecord;
  readonly result: Result;
}

/** Comparison of two kept runs. */
export interface KeptComparison {
  readonly environment: readonly EnvironmentDifference[];
  /** Differences between the settings, one sentence each. */
  readonly settings: readonly string[];
  /** Every variant that at least one run has. */
  readonly variants: readonly VariantPair[];
}

/** Compares metrics, given by name, of two kept runs, and their environments and settings. */
export function compareKept(then: RunWithResult, now: RunWithResult, metrics: readonly string[]): KeptComparison {
  const variants = compareRuns(then.result, now.result, metrics);
  // Identical losses have read the same data
  const sameData = variants.some(({ losses }) => losses !== null && losses.steps > 0) &&
    variants.every(({ losses }) => losses !== null && losses.first === null);
  return {
    environment: environmentDifferences(then.result.environment, now.result.environment),
    settings: specDifferences(portableSpec(then.run, sameData), portableSpec(now.run, sameData)),
    variants,
  };
}
