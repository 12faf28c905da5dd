import { z } from "zod";
import { OP_ROLES, PRECISION_RULES } from "../graph/op.ts";
import { phaseNameSchema } from "./phases.ts";

const count = z.int().nonnegative();
const milliseconds = z.number().nullable();

/** Logical shape and element type of a tensor. */
export const tensorSchema = z.strictObject({ shape: z.array(count), dtype: z.string() });

/** Device time of one op in one phase, from profiled steps. A fused kernel is one row that names its members. */
export const opSchema = z.strictObject({
  /** Stable path of the node, such as `layer1.0.conv1` or `layer1.0.conv1/conv2d_weight_grad`. */
  id: z.string(),
  /** What the row is called: the layer, or the id of a gradient. */
  name: z.string(),
  /** Of the op, such as `conv2d`. */
  type: z.string(),
  /** How mixed precision treats it. */
  precision: z.enum(PRECISION_RULES),
  /** What kind of work it does. */
  roles: z.array(z.enum(OP_ROLES)),
  /** Its name in other tools, by dialect, where it is not the type in Pascal case. */
  aliases: z.record(z.string(), z.string()),
  /** Path of the layer that the op, or the gradient, belongs to. */
  layer: z.string(),
  phase: phaseNameSchema,
  /** Family and variant of the kernel that was chosen. */
  kernel: z.string(),
  members: z.array(z.string()),
  inputs: z.array(tensorSchema),
  outputs: z.array(tensorSchema),
  /** Logical shapes: the inputs, then the outputs. */
  shapes: z.array(z.array(count)),
  /** Of the first output, or of what is updated. */
  dtype: z.string(),
  /** Whether the output takes the place of an input. */
  inPlace: z.boolean(),
  /** Profiled steps in which the op was timed. */
  calls: count,
  /** ms over all calls. */
  total: milliseconds,
  /** ms of a call. */
  mean: milliseconds,
  min: milliseconds,
  max: milliseconds,
  /** Part of the device time of all ops, from 0 to 1. */
  share: z.number().nullable(),
  /** Of a call; a multiply-add counts as two. */
  flops: z.number().nullable(),
  /** Bytes that a call must read and write at the least. */
  bytes: z.number().nullable(),
  /** Dispatches of a call. */
  dispatches: count,
  /** ms: making the pipelines of the op that were not there yet, and its first run by itself; null when not measured. */
  setup: z.strictObject({ pipeline: milliseconds, firstDispatch: milliseconds }),
});

export type OpRecord = z.infer<typeof opSchema>;
