import type { Environment, Result } from "../result/schema.ts";
import type { ModuleSource } from "./module_source.ts";
import type { RunSpec } from "./run_spec.ts";

/** A run whose process has gone without a word counts as interrupted. */
export type RunStatus = "running" | "complete" | "interrupted" | "failed";

export const RUN_STATUSES: readonly RunStatus[] = ["running", "complete", "interrupted", "failed"];

/** What is known of a run when it begins. */
export interface RunStart {
  readonly spec: RunSpec;
  /** Path of the script, absolute; null when it is no file. */
  readonly script: string | null;
  /** The script itself first, then what it imports, as far as that is known yet. */
  readonly modules: readonly ModuleSource[];
  /** What followed the script on the command line. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** Without the adapter, which is not open yet. */
  readonly environment: Environment;
}

/** One line of the list of runs. Times in milliseconds since 1970. */
export interface RunSummary {
  readonly id: string;
  readonly started: number;
  readonly ended: number | null;
  readonly status: RunStatus;
  /** Why it failed. */
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
  /** How often it was taken up again. */
  readonly resumed: number;
  /** Samples a second of the baseline, and what they are counted in: `images/s`. */
  readonly ips: number | null;
  readonly unit: string | null;
  /** The fastest of the other variants that are `faster` by their verdict, and its speed-up. */
  readonly best: string | null;
  readonly bestSpeedup: number | null;
  readonly adapter: string | null;
  readonly driver: string | null;
  readonly deno: string;
  readonly tacho: string;
  readonly git: string | null;
}

/** All that is kept of a run but its result. */
export interface RunRecord extends RunSummary {
  readonly spec: RunSpec;
  readonly environment: Environment;
  readonly modules: readonly ModuleSource[];
}

/** Which runs to find; all where nothing is said. */
export interface RunFilter {
  readonly scenario?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Part of the adapter's name, in any case. */
  readonly adapter?: string | undefined;
  /** Part of the id, the scenario, the script, the arguments or the adapter, in any case. */
  readonly text?: string | undefined;
  /** Hash of the spec. */
  readonly spec?: string | undefined;
  /** Started at this time or later. */
  readonly since?: number | undefined;
  /** Started before this time. */
  readonly before?: number | undefined;
  /** The latest of them. */
  readonly limit?: number | undefined;
}

/** One metric of one variant of a run. */
export interface HistoryPoint {
  readonly run: RunSummary;
  readonly variant: string;
  /** Null where it was not measured; a word for what is no number. */
  readonly value: number | string | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Empty for what has none. */
  readonly unit: string;
}

/** What the list of runs says of a result. */
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

/** How a run ended, as its result shows it. */
export function statusOf({ variants, procedure }: Result): Exclude<RunStatus, "running"> {
  if (procedure?.stoppedBy === "interrupted") return "interrupted";
  if (variants.some(({ status }) => status === "interrupted")) return "interrupted";
  return variants.every(({ status }) => status === "failed") ? "failed" : "complete";
}
