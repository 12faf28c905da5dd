import { z } from "zod";
import { times } from "./ops.ts";
import { phaseNameSchema } from "./phases.ts";

const count = z.int().nonnegative();
const milliseconds = z.number().nullable();

/** Time of a kind of host work over steps: ms. */
export const hostWorkSchema = z.strictObject({
  /** `load dataset`, `let data` and its parts such as `let data: target`, `encode`, `submit`, `wait`, `monitor loss`, `yield`, or the name of a range. */
  name: z.string(),
  calls: count,
  total: z.number(),
  mean: z.number(),
  min: z.number(),
  max: z.number(),
});

/** Breakdown of a phase's interval on the device; medians over profiled steps in ms, which one stalled step does not move. */
export const phaseSplitSchema = z.strictObject({
  phase: phaseNameSchema,
  /** From the start of the first dispatch to the end of the last. */
  interval: z.number(),
  /** Sum of the op times. */
  ops: z.number(),
  /** interval - ops: time between dispatches. */
  residual: z.number(),
  /** Mean interval, and the longest; null if not recorded. */
  mean: milliseconds,
  max: milliseconds,
  /**
   * Gaps of a step between dispatches, the usual length of a step's longest gap, and the longest of all steps with the ID of
   * the op after it. Null if not recorded.
   */
  gaps: z.strictObject({
    count,
    usual: milliseconds,
    longest: z.strictObject({ ms: z.number(), before: z.string() }).nullable(),
  }).nullable(),
  /** Median of the phase in the measured steps, which run it as one pass; null if not measured. */
  measured: milliseconds,
  /** Cause of most of a residual above 5 %; see `analysis/residual_cause.ts`. */
  cause: z.enum(["stall", "submits", "launches", "timestamps"]).nullable(),
});

/** Number of defective timestamps by kind. */
export const defectsSchema = z.strictObject({
  missing: count,
  /** The device's clock wrapped around or was reset during the pass. */
  reset: count,
  /** Later than the host saw the device done. */
  outside: count,
  stale: count,
  zero: count,
  negative: count,
  overlapping: count,
  /** Ops shorter than the clock's resolution. */
  quantised: count,
});

/** Timestamps of the passes of the measured blocks. */
export const timestampsSchema = z.strictObject({
  /** Timed passes. */
  passes: count,
  /** Those among them with usable times. */
  usable: count,
  defects: defectsSchema,
});

/** A user's named range on the host or the device. */
export const rangeSchema = z.strictObject({
  /** Names of nested ranges, outermost first, joined by `/`. */
  path: z.string(),
  track: z.enum(["host", "device"]),
  /** Phase of its ops on the device; null on the host, and for both phases together in results of earlier versions. */
  phase: phaseNameSchema.nullable(),
  /** Times that it was entered; on the device, in all profiled steps. */
  entries: count,
  /** Calls of the ops in it; on the host, its entries. */
  calls: count,
  /** ms over all entries. */
  total: z.number(),
  /** ms of an entry. */
  mean: z.number(),
});

/** Device memory while an op runs: bytes by class. */
export const memoryPointSchema = z.strictObject({
  /** ID of the op. */
  op: z.string(),
  parameters: count,
  gradients: count,
  optimizer: count,
  activations: count,
  workspace: count,
  feed: count,
});

/** CPU use of a core or thread over the profiled steps, from the operating system. */
export const cpuUseSchema = z.strictObject({
  kind: z.enum(["core", "thread"]),
  /** `cpu0`, or the thread's name and ID. */
  name: z.string(),
  /** Fraction of time running, from 0 to 1. */
  running: z.number(),
  /** Fraction of time ready to run but without a core; null if the system does not report it. */
  waiting: z.number().nullable(),
});

/** Profile of a variant, from profiled steps and host clocks. */
export const profileSchema = z.strictObject({
  /** Number of recorded steps. */
  steps: count,
  /** Index of the first recorded step in the variant's profiled run. */
  firstStep: count,
  /** Host work in the measured blocks. */
  host: z.array(hostWorkSchema),
  phases: z.array(phaseSplitSchema),
  /**
   * Device time of weight decay alone, in a separate dispatch after each profiled step; the update includes it. Null
   * without weight decay.
   */
  weightDecay: z.strictObject(times).nullable(),
  ranges: z.array(rangeSchema),
  /** Transfers in the measured blocks. */
  transfers: z.strictObject({
    hostToDevice: z.strictObject({ count, bytes: count }),
    deviceToHost: z.strictObject({ count, bytes: count }),
  }),
  /** Memory in use while each op of a step runs, in order. */
  memory: z.array(memoryPointSchema),
  cpu: z.array(cpuUseSchema),
  /**
   * Cost of profiling: extra time of a step with phase timestamps, and with a timed pass per op, as a fraction of the
   * batch cost. The extra time comes from alternating steps on one batch. Null if not measured.
   */
  cost: z.strictObject({
    phases: z.number().nullable(),
    ops: z.number().nullable(),
    uncertainty: z.strictObject({ phases: z.number(), ops: z.number() }).nullable(),
  }),
  trust: z.strictObject({
    defects: defectsSchema,
    /** Host nanoseconds per device tick, with uncertainty; null without calibration. */
    nsPerTick: z.strictObject({ value: z.number(), uncertainty: z.number() }).nullable(),
    /** Uncertainty of device times on the host's axis: ms. */
    offsetUncertainty: milliseconds,
    /** Smallest observed increment of the device clock: ns. */
    resolution: z.number().nullable(),
  }),
});

export type HostWork = z.infer<typeof hostWorkSchema>;
export type PhaseSplit = z.infer<typeof phaseSplitSchema>;
export type Timestamps = z.infer<typeof timestampsSchema>;
export type Defects = z.infer<typeof defectsSchema>;
export type RangeRecord = z.infer<typeof rangeSchema>;
export type MemoryPoint = z.infer<typeof memoryPointSchema>;
export type CpuUse = z.infer<typeof cpuUseSchema>;
export type Profile = z.infer<typeof profileSchema>;
