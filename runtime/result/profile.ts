import { z } from "zod";
import { phaseNameSchema } from "./phases.ts";

const count = z.int().nonnegative();
const milliseconds = z.number().nullable();

/** Time of one kind of host work over steps: ms. */
export const hostWorkSchema = z.strictObject({
  /** `load dataset`, `let data`, `encode`, `submit`, `wait`, `monitor loss`, `yield`, or the name of a range. */
  name: z.string(),
  calls: count,
  total: z.number(),
  mean: z.number(),
  min: z.number(),
  max: z.number(),
});

/** How a phase's interval on the device divides, means over profiled steps: ms. */
export const phaseSplitSchema = z.strictObject({
  phase: phaseNameSchema,
  /** From the first op's begin to the last op's end. */
  interval: z.number(),
  /** Sum of the op times. */
  ops: z.number(),
  /** interval - ops: what lies between the passes. */
  residual: z.number(),
});

/** Timestamps that were not as they should be, by what was wrong with them. */
export const defectsSchema = z.strictObject({
  missing: count,
  stale: count,
  zero: count,
  negative: count,
  overlapping: count,
  /** Ops shorter than the clock's step. */
  quantised: count,
});

/** A user's range on the device: the ops between its begin and its end. */
export const rangeSchema = z.strictObject({
  /** Names from the outermost, joined by `/`. */
  path: z.string(),
  track: z.enum(["host", "device"]),
  calls: count,
  /** ms over all calls. */
  total: z.number(),
  mean: z.number(),
});

/** Device memory while one op runs: bytes by class. */
export const memoryPointSchema = z.strictObject({
  /** Id of the op. */
  op: z.string(),
  parameters: count,
  gradients: count,
  optimizer: count,
  activations: count,
  workspace: count,
  feed: count,
});

/** One core or thread over the profiled steps, from the operating system. */
export const cpuUseSchema = z.strictObject({
  kind: z.enum(["core", "thread"]),
  /** `cpu0`, or the thread's name and id. */
  name: z.string(),
  /** Part of the time that it ran, from 0 to 1. */
  running: z.number(),
  /** Part of the time that it was ready but had no core; null where the system does not tell. */
  waiting: z.number().nullable(),
});

/** What the profiled steps and the host's clocks showed of a variant. */
export const profileSchema = z.strictObject({
  /** Profiled steps that were recorded. */
  steps: count,
  /** The first of them, counted over the variant's profiled run. */
  firstStep: count,
  /** Over the measured blocks. */
  host: z.array(hostWorkSchema),
  phases: z.array(phaseSplitSchema),
  ranges: z.array(rangeSchema),
  /** Over the measured blocks. */
  transfers: z.strictObject({
    hostToDevice: z.strictObject({ count, bytes: count }),
    deviceToHost: z.strictObject({ count, bytes: count }),
  }),
  /** Each op of a step in order, with what is alive while it runs. */
  memory: z.array(memoryPointSchema),
  cpu: z.array(cpuUseSchema),
  /**
   * Step time with phase timestamps, and with a timed pass for each op, over one without any, minus 1: the median of
   * steps in turns, and by how much it may be off. Null where it was not measured.
   */
  cost: z.strictObject({
    phases: z.number().nullable(),
    ops: z.number().nullable(),
    uncertainty: z.strictObject({ phases: z.number(), ops: z.number() }).nullable(),
  }),
  trust: z.strictObject({
    defects: defectsSchema,
    /** Nanoseconds of the host's clock per unit of the device's, with its uncertainty; null when not calibrated. */
    nsPerTick: z.strictObject({ value: z.number(), uncertainty: z.number() }).nullable(),
    /** ms by which a device time may be off on the host's axis. */
    offsetUncertainty: milliseconds,
    /** Smallest step of the device's clock that was seen: ns. */
    resolution: z.number().nullable(),
  }),
});

export type HostWork = z.infer<typeof hostWorkSchema>;
export type PhaseSplit = z.infer<typeof phaseSplitSchema>;
export type Defects = z.infer<typeof defectsSchema>;
export type RangeRecord = z.infer<typeof rangeSchema>;
export type MemoryPoint = z.infer<typeof memoryPointSchema>;
export type CpuUse = z.infer<typeof cpuUseSchema>;
export type Profile = z.infer<typeof profileSchema>;
