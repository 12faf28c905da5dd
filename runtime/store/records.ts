import type { Environment, Result } from "../result/schema.ts";
import type { ModuleSource } from "./module_source.ts";
import type { RunSpec } from "./run_spec.ts";

/** Status of a run. A run whose process was killed counts as interrupted. */
export type RunStatus = "running" | "complete" | "interrupted" | "failed";

export const RUN_STATUSES: readonly RunStatus[] = ["running", "complete", "interrupted", "failed"];

/** Properties of a run that are known when it begins. */
export interface RunStart {
  /** Time in ms since 1970; by default, now. */
  readonly started?: number;
  readonly spec: RunSpec;
  /** Absolute path of the script; null if it is not a file. */
  readonly script: string | null;
  /** The script, then its imports, as far as they are known yet. */
  readonly modules: readonly ModuleSource[];
  /** Arguments after the script on the command line; those of `tacho`, with its command, for a run of a command. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** Environment without the adapter, which is not open yet. */
  readonly environment: Environment;
}

/** One row of the list of runs. Times are in ms since 1970. */
export interface RunSummary {
  readonly id: string;
  readonly started: number;
  readonly ended: number | null;
  readonly status: RunStatus;
  /** Reason of a failure. */
  readonly message: string | null;
  readonly scenario: string;
  readonly script: string | null;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly seed: number;
  readonly baseline: string;
  readonly variants: number;
  /** Variants that failed. */
  readonly failed: number;
  /** Number of times that it was resumed. */
  readonly resumed: number;
  /** Throughput of the baseline in samples per second, and its unit, such as `images/s`. */
  readonly ips: number | null;
  readonly unit: string | null;
  /** Fastest variant with the verdict `faster`, and its speed-up. */
  readonly best: string | null;
  readonly bestSpeedup: number | null;
  readonly adapter: string | null;
  readonly driver: string | null;
  readonly deno: string;
  readonly tacho: string;
  readonly git: string | null;
}

/** A run in a list that survives damage. */
export interface ListedRun {
  readonly id: string;
  /** Null if its row cannot be read. */
  readonly run: RunSummary | null;
  /** Reason why its row cannot be read. */
  readonly problem: string | null;
  /** True if it has a result, whether or not that can be read. */
  readonly hasResult: boolean;
  /** Complete rounds that are kept until the run has a complete result. */
  readonly rounds: number;
  /** Number of variants with each verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
}

/** A scenario of kept results, and the names of all variants in them. */
export interface Subject {
  readonly scenario: string;
  readonly variants: readonly string[];
}

/** Everything that the store keeps of a run except its result. */
export interface RunRecord extends RunSummary {
  readonly spec: RunSpec;
  readonly environment: Environment;
  readonly modules: readonly ModuleSource[];
}

/** Selection of runs. An empty filter selects all. */
export interface RunFilter {
  readonly scenario?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Part of the adapter's name (case-insensitive). */
  readonly adapter?: string | undefined;
  /** Part of the ID, the scenario, the script, the arguments or the adapter (case-insensitive). */
  readonly text?: string | undefined;
  /** Hash of the spec. */
  readonly spec?: string | undefined;
  /** Selects runs that started at this time or later. */
  readonly since?: number | undefined;
  /** Selects runs that started before this time. */
  readonly before?: number | undefined;
  /** Maximum number of runs; the latest are selected. */
  readonly limit?: number | undefined;
}

/** One metric of one variant of a run. */
export interface HistoryPoint {
  readonly run: RunSummary;
  readonly variant: string;
  /** Value, or a word for metrics that are not numbers; null if it was not measured. */
  readonly value: number | string | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Unit; may be empty. */
  readonly unit: string;
}

/** Returns what the list of runs shows of a result. */
export function headlineOf({ variants, baseline }: Result): Pick<RunSummary, "ips" | "unit" | "best" | "bestSpeedup"> {
  const { ips = null } = variants.find(({ name }) => name === baseline)?.metrics ?? {};
  const speedups = variants.flatMap(({ name, verdict, metrics: { speedup } }) =>
    name === baseline || verdict !== "faster" || speedup === null ? [] : [{ name, value: speedup.value }]
  );
  const best = speedups.toSorted((a, b) => b.value - a.value)[0];
  return {
    ips: ips?.value ?? null,
    unit: ips?.unit ?? null,
    best: best?.name ?? null,
    bestSpeedup: best?.value ?? null,
  };
}

/** Returns the status of a run, by its result. */
export function statusOf({ variants, procedure }: Result): Exclude<RunStatus, "running"> {
  if (procedure?.stoppedBy === "interrupted") return "interrupted";
  if (variants.some(({ status }) => status === "interrupted")) return "interrupted";
  return variants.every(({ status }) => status === "failed") ? "failed" : "complete";
}
