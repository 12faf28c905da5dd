/**
 * What the server sends to its pages as JSON.
 *
 * @module
 */
import type { EnvironmentDifference } from "../analysis/environment_differences.ts";
import type { VariantPair } from "../analysis/run_comparison.ts";
import type { HistoryChange } from "../library/kept/history_changes.ts";
import type { AttachedRun } from "../store/attached_run.ts";
import type { HistoryPoint, ListedRun, RunSummary, Subject } from "../store/records.ts";

/** ID of the element with the problem of a page, as JSON. */
export const PROBLEM_ID = "problem";

/** Largest number of runs in a comparison. */
export const MAX_COMPARED = 12;

/** An answer to a request that cannot be met. */
export interface ErrorPayload {
  readonly error: string;
}

/** List of runs. */
export interface RunsPayload {
  /** Version of the list, which the next request names. */
  readonly version: string;
  /** Folder of the store. */
  readonly folder: string;
  /** Latest runs first. */
  readonly runs: readonly ListedRun[];
  /** Number of all runs. */
  readonly total: number;
  readonly programs: readonly AttachedRun[];
  /** Problem of the whole store; null without one. */
  readonly problem: string | null;
}

/** A run without a report. */
export interface RunPayload {
  readonly listed: ListedRun;
  /** True once the address of the run has its report. */
  readonly hasReport: boolean;
}

/** A run that takes part in a comparison. */
export interface ComparedRun {
  readonly id: string;
  /** Null if it cannot be read. */
  readonly run: RunSummary | null;
  /** Reason why it is not compared; null if it is. */
  readonly problem: string | null;
}

/** Comparison of a run with the first one. */
export interface RunComparison {
  readonly then: string;
  readonly now: string;
  readonly environment: readonly EnvironmentDifference[];
  readonly settings: readonly string[];
  readonly variants: readonly VariantPair[];
}

export interface ComparePayload {
  readonly runs: readonly ComparedRun[];
  readonly comparisons: readonly RunComparison[];
}

/** A metric of a variant over runs. */
export interface HistoryPayload {
  readonly metric: string;
  readonly scenario: string;
  readonly variant: string;
  /** Name of the adapter to which the runs are limited; null for all. */
  readonly adapter: string | null;
  /** Choices for the parameters. */
  readonly metrics: readonly string[];
  readonly subjects: readonly Subject[];
  readonly adapters: readonly string[];
  /** Earliest first. */
  readonly points: readonly HistoryPoint[];
  /** True if there may be earlier runs. */
  readonly isCut: boolean;
  readonly changes: readonly HistoryChange[];
  /** What is missing, and why. */
  readonly problems: readonly string[];
}
