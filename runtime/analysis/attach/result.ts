import type { ErrorRecord, LostRecord, TotalName } from "../../attach/records.ts";
import type { Percentile } from "../../core/percentile.ts";
import type { ProgramAdvice } from "./advice/advice.ts";
import type { StepAccount } from "./account.ts";
import type { ClockQuality } from "./clock.ts";
import type { TimingCost } from "./cost.ts";
import type { KernelResult } from "./kernels.ts";
import type { MemoryResult } from "./memory.ts";
import type { FoundSteps } from "./steps.ts";
import type { z } from "zod";
import { attachedSchema } from "../../result/attached.ts";

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

/** Result of attaching to a program. */
export interface AttachResult {
  readonly kind: "attach";
  readonly schemaVersion: 1;
  readonly devices: readonly AttachedDevice[];
  /** True if the program ended normally; false if it was killed and its last records are missing. */
  readonly complete: boolean;
  readonly notes: readonly string[];
}

/** Schema of the results of attached programs, with which kept ones are checked. */
export const attachResultSchema: z.ZodType<AttachResult> = attachedSchema;
