import { z } from "zod";

/** Device time of one op in one phase, from profiled steps. A fused kernel is one row that names its members. */
export const opSchema = z.strictObject({
  /** Stable path of the node. */
  id: z.string(),
  name: z.string(),
  type: z.string(),
  layer: z.string(),
  phase: z.enum(["forward", "backward", "update"]),
  kernel: z.string(),
  members: z.array(z.string()),
  /** Logical shapes: the inputs, then the output. */
  shapes: z.array(z.array(z.int().nonnegative())),
  dtype: z.string(),
  calls: z.int().nonnegative(),
  /** ms over all calls. */
  total: z.number().nullable(),
  /** ms of a call. */
  mean: z.number().nullable(),
  /** Of a call. */
  flops: z.number().nullable(),
  bytes: z.number().nullable(),
});

export type OpRecord = z.infer<typeof opSchema>;
