import { z } from "zod";
import { OP_ROLES, PRECISION_RULES } from "../graph/op.ts";
import { phaseNameSchema } from "./phases.ts";

const count = z.int().nonnegative();
const milliseconds = z.number().nullable();

/** Logical shape and element type of a tensor. */
export const tensorSchema = z.strictObject({ shape: z.array(count), dtype: z.string() });

/** Device time over the profiled steps: ms. */
export const times = {
  /** Profiled steps in which it was timed. With gradient accumulation, a call is the op's runs over all micro-batches. */
  calls: count,
  /** Over all calls. */
  total: milliseconds,
  /** Median call, which one stalled call does not move. */
  median: milliseconds,
  /** Mean call. */
  mean: milliseconds,
  min: milliseconds,
  max: milliseconds,
};

/** Device time of one dispatch of an op in a step. */
export const kernelTimesSchema = z.strictObject({
  /** Family and variant of the kernel. */
  name: z.string(),
  ...times,
  /**
   * Time in each round of steps that all profiled variants take turns in, for comparisons by op; null where a time is
   * unusable. Missing in results of earlier versions and without such rounds.
   */
  samples: z.array(milliseconds).exactOptional(),
});

/**
 * Device time of an op in a phase, from profiled steps, over all micro-batches of a step. A fused kernel is one record that
 * lists its members.
 */
export const opSchema = z.strictObject({
  /** Stable path of the node, such as `layer1.0.conv1` or `layer1.0.conv1/conv2d_weight_grad`. */
  id: z.string(),
  /** Name in tables: the layer, or the ID of a gradient. */
  name: z.string(),
  /** Op type, such as `conv2d`. */
  type: z.string(),
  /** Rule by which mixed precision chooses the data type. */
  precision: z.enum(PRECISION_RULES),
  /** Kinds of work that it does. */
  roles: z.array(z.enum(OP_ROLES)),
  /** Names in other tools, by dialect, that differ from the type in Pascal case. */
  aliases: z.record(z.string(), z.string()),
  /** Path of the layer that the op or gradient belongs to. */
  layer: z.string(),
  phase: phaseNameSchema,
  /** Family and variant of the chosen kernel. */
  kernel: z.string(),
  members: z.array(z.string()),
  inputs: z.array(tensorSchema),
  outputs: z.array(tensorSchema),
  /** Logical shapes of the inputs, then the outputs. */
  shapes: z.array(z.array(count)),
  /** Data type of the first output, or of the updated tensor. */
  dtype: z.string(),
  /** True if the output overwrites an input. */
  inPlace: z.boolean(),
  /** True for activations that the backward pass computes again; absent on other ops. */
  recomputed: z.literal(true).exactOptional(),
  /** Sums of the times of its dispatches. */
  ...times,
  /** Median as a fraction of the sum of all ops' medians, from 0 to 1. */
  share: z.number().nullable(),
  /** FLOPs of a step; a multiply-add counts as two. */
  flops: z.number().nullable(),
  /** Minimum bytes read and written in a step. */
  bytes: z.number().nullable(),
  /** Dispatches of a step. */
  dispatches: count,
  /** Each dispatch, in the order of a step. */
  kernels: z.array(kernelTimesSchema),
  /** Time in ms to create the op's new pipelines, and of its first dispatch alone; null if not measured. */
  setup: z.strictObject({ pipeline: milliseconds, firstDispatch: milliseconds }),
});

export type KernelTimes = z.infer<typeof kernelTimesSchema>;
export type OpRecord = z.infer<typeof opSchema>;
