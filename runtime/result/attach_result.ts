/**
 * Results of programs that Tacho was attached to. Times are in milliseconds, sizes in bytes.
 *
 * @module
 */
import type { ErrorRecord, LoadRecord, LostRecord, PeakBuffer, TotalName } from "../attach/records.ts";
import type { Percentile } from "../core/percentile.ts";
import type { Cause } from "../record/idle_causes.ts";
import type { Untimed } from "../record/untimed.ts";

/** A change to a program's code that may make its steps shorter. */
export interface ProgramAdvice {
  /** Slug of the rule, such as `waits`. */
  readonly kind: string;
  /** Sentence on the cost that the rule found. */
  readonly message: string;
  /** Change to the program, in the imperative. */
  readonly fix: string;
  readonly evidence: readonly { readonly label: string; readonly value: string }[];
  /** Largest time that the change can save in a step, in ms, and as a fraction of the step's wall time. */
  readonly mostMs: number;
  readonly share: number;
  /** Sentence on what bounds the time. */
  readonly reasoning: string;
}

/**
 * Difficulties of a device's clock.
 *
 * - `coarse`: it ticks rarely, so that passes are no longer than a step
 * - `merged`: passes begin and end in the same tick
 * - `overlapping`: passes begin before the one before has ended, so the sum of their times exceeds the union
 * - `reset`: it wrapped around or was reset; passes across are refused
 * - `still`: it stands still; these passes are refused
 * - `negative`: passes end before they begin; refused
 * - `disagrees`: passes lie outside the host's times of their submit; refused
 * - `missing`: the device wrote no timestamps; refused
 */
export type ClockIssueKind =
  | "coarse"
  | "merged"
  | "overlapping"
  | "reset"
  | "still"
  | "negative"
  | "disagrees"
  | "missing";

/** A difficulty of a device's clock. */
export interface ClockIssue {
  readonly kind: ClockIssueKind;
  /** Number of timed passes concerned. */
  readonly passes: number;
  /** True if these passes count nowhere; false if their times are used with care. */
  readonly refused: boolean;
}

/** Quality of a device's timestamps. */
export interface ClockQuality {
  /** Difficulties; empty for a good clock. */
  readonly issues: readonly ClockIssue[];
  /** False if more than half of the timed passes are refused. Then there are no times at all. */
  readonly usable: boolean;
  /** Number of times that the clock wrapped around or was reset. */
  readonly resets: number;
}

/** Slowdown of the program by timing. */
export interface TimingCost {
  /** Median over pairs of neighbouring steps of timed wall time / untimed wall time. */
  readonly ratio: number;
  /** 95 % interval of the median; null with fewer than six pairs. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly pairs: number;
}

/** Parts of a step's wall time, in ms. */
export interface StepAccount {
  /** Time without the recorder's own. */
  readonly wall: number;
  /** Time in which at least one pass ran. */
  readonly kernels: number;
  readonly idle: Readonly<Record<Cause, number>>;
  /** Sum of the passes within the step, which counts overlaps twice. */
  readonly sum: number;
  /** From the begin of the first pass within the step to the end of the last. */
  readonly span: number;
}

/** A kernel, with its timed dispatches. */
export interface KernelResult {
  /** Label, else what its WGSL does, with the entry point and the hash of the code. */
  readonly name: string;
  readonly label: string;
  readonly entryPoint: string;
  readonly hash: string;
  /** Description of its WGSL. */
  readonly does: string;
  /** Source line of the dispatches; null without call sites. */
  readonly line: string | null;
  /** Dispatches, or render passes, in the whole run, timed or not; null for rows by source line. */
  readonly dispatches: number | null;
  /** Timed dispatches. */
  readonly calls: number;
  /** Timed dispatches per timed step; null without steps. */
  readonly perStep: number | null;
  /**
   * Timed unit: each dispatch, or, where some are shorter than the clock's step, runs of equal dispatches. Null if the clock
   * shows neither; then the kernel has no times.
   */
  readonly timedBy: "pass" | "batch" | null;
  /** Reason for having no times; null with times, and in results of earlier versions. */
  readonly untimed: Untimed | null;
  /** Sum and median of the timed dispatches, in ms; null if the clock does not show them. */
  readonly total: number | null;
  readonly median: number | null;
  /** Time in each timed step, at most 64 of them; missing in results of earlier versions, without steps and without times. */
  readonly samples?: readonly number[];
  /** Part of the time of all timed dispatches; null without a time. */
  readonly share: number | null;
  /** Bytes of the bound buffers per second, in GB/s: an upper bound on what it reads and writes. */
  readonly boundGBs: number | null;
  /** Grids in workgroups, the most frequent first. `null` is an indirect dispatch. Empty for render passes. */
  readonly grids: readonly { readonly grid: readonly [number, number, number] | null; readonly calls: number }[];
}

/** Buffers of one kind that steps create and nothing destroys. */
export interface Leak {
  readonly label: string;
  readonly size: number;
  readonly usage: number;
  readonly line: string | null;
  readonly count: number;
  readonly bytes: number;
}

/** One of the largest buffers at the peak. */
export interface LargeBuffer extends PeakBuffer {
  /** Time from its creation to the peak, in ms. */
  readonly age: number;
}

/** Memory of a device's buffers and textures, in bytes. */
export interface MemoryResult {
  readonly now: number;
  readonly peak: number;
  /**
   * Peak up to the end of the sixth step, with what is left to the garbage collector, so that it is equal in equal programs;
   * null without steps, and in recordings of earlier versions.
   */
  readonly exactPeak: number | null;
  readonly largest: readonly LargeBuffer[];
  /** Created in steps after the warm-up, and never destroyed. */
  readonly leaks: readonly Leak[];
  /** Created in warm-up steps, and never destroyed: leaks, or buffers that the program keeps on purpose. */
  readonly keptWarmUp: { readonly count: number; readonly bytes: number };
  /** Never destroyed, and freed by the garbage collector. */
  readonly collected: { readonly count: number; readonly bytes: number };
}

/** A step of the program: consecutive stretches. */
export interface Step {
  /** Index of its first stretch, and the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  /** Time without the recorder's own, in ms. */
  readonly wall: number;
  readonly firstSubmit: number;
  readonly endSubmit: number;
  readonly totals: Readonly<Record<TotalName, number>>;
  /** `timed` if all dispatches, or in a step without any all render passes, were timed; `untimed` if none was. */
  readonly timing: "timed" | "untimed" | "mixed";
  /** True for the first steps as long as they compile pipelines or use kernels for the first time. */
  readonly warmUp: boolean;
}

/** Steps of a device's program. */
export interface FoundSteps {
  /** Events that delimit the steps. */
  readonly by: "wait" | "submit" | "mark" | "step" | "pattern" | "none";
  /** Sentence on how steps were found, or why not. */
  readonly how: string;
  readonly steps: readonly Step[];
}

/** A pipeline that the program made. */
export interface PipelineResult {
  readonly type: "compute" | "render";
  readonly name: string;
  /** Time of the call on the program's `performance.now()` axis, in ms. */
  readonly time: number;
  readonly callMs: number;
  /** Time until an asynchronous pipeline was ready; null for others. */
  readonly readyMs: number | null;
  /** Index of the step; null before the first step, between steps and after the last. */
  readonly step: number | null;
  /** True if a step after the warm-up made it. */
  readonly inSteadyStep: boolean;
  readonly line: string | null;
}

/** Result of one device. Times are in ms, sizes in bytes. */
export interface AttachedDevice {
  /** `main`, or the specifier of a worker. */
  readonly realm: string;
  readonly label: string;
  readonly adapter: string;
  /** Origin of the timestamp feature; `none` if the device lacks it. */
  readonly timestamps: "program" | "added" | "none";
  readonly steps: FoundSteps;
  /** Number of steps after the warm-up, and of those whose dispatches were all timed. */
  readonly steadySteps: number;
  readonly timedSteps: number;
  /** Number of timed steps whose passes all have usable timestamps. */
  readonly accountedSteps: number;
  /** Median wall time of steps after the warm-up, timed and untimed; null without any. */
  readonly timedWall: number | null;
  readonly untimedWall: number | null;
  /** Percentiles of the wall time of untimed steps after the warm-up, or of all where none is untimed. */
  readonly percentiles?: readonly Percentile[] | undefined;
  /** Mean over these steps; of the whole run without steps; null without usable timestamps. */
  readonly account: StepAccount | null;
  readonly cost: TimingCost | null;
  /** Totals of the whole run. */
  readonly totals: Readonly<Record<TotalName, number>>;
  /** Counts of a step after the warm-up: medians, or means where most steps have none; null without steps. */
  readonly perStep: Readonly<Record<TotalName, number>> | null;
  /** Distinct buffers that the dispatches of a timed step bind; null without timed steps, or if they differ. */
  readonly boundBuffers: number | null;
  readonly kernels: readonly KernelResult[];
  readonly memory: MemoryResult | null;
  readonly pipelines: readonly PipelineResult[];
  readonly modules: number;
  readonly errors: readonly Pick<ErrorRecord, "type" | "message" | "scoped" | "time">[];
  /** Changes to the program that may make its steps shorter, the largest saving first. Savings overlap. */
  readonly advice: readonly ProgramAdvice[];
  readonly lost: Pick<LostRecord, "reason" | "message" | "time"> | null;
  /** Timestamps of the device. */
  readonly clock: ClockQuality & {
    /** Step in ns; null if unknown. */
    readonly resolution: number | null;
    /** Largest error on the host's axis, in ms; null without a clock. */
    readonly error: number | null;
    readonly defects: Readonly<Record<string, number>>;
    /** Timed passes without usable timestamps. */
    readonly unusable: number;
    /** Dispatches without timestamps, since all query sets were in use. */
    readonly unslotted: number;
    /** Render passes that carry the program's own timestamps. */
    readonly selfTimed: number;
  };
}

/** The browser and the page of a recording. */
export interface AttachedBrowser {
  /** Name and version, such as `Chrome/150.0.7871.46`; null where only the page's own account is known. */
  readonly product: string | null;
  readonly userAgent: string;
  readonly url: string;
  /** Flags that it was started with, which change what pages see or how they are measured. */
  readonly flags: readonly string[];
  /** True if it was running already. */
  readonly connected: boolean;
  /** True if the page is cross-origin isolated, so that WebAssembly may have several threads. */
  readonly isolated: boolean;
  /** True if its origin is secure, without which there is no WebGPU. */
  readonly secure: boolean;
  readonly hasWebGPU: boolean;
  /** Step of `performance.now()` in ms; null if unknown. */
  readonly clockStep: number | null;
  /** What the page and its workers loaded; null if it went away without notice. Heaps and times are those of the page. */
  readonly load: Omit<LoadRecord, "kind"> | null;
}

/** Result of attaching to a program. */
export interface AttachResult {
  readonly kind: "attach";
  readonly schemaVersion: 1;
  readonly devices: readonly AttachedDevice[];
  /** True if the program ended normally; false if it was killed and its last records are missing. */
  readonly complete: boolean;
  /** The browser of a page; null for programs. */
  readonly browser: AttachedBrowser | null;
  readonly notes: readonly string[];
}
