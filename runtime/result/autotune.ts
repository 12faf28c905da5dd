import { z } from "zod";

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();

/** An op with given shapes, and the times of its candidate kernels. */
const tunedOpSchema = z.strictObject({
  /** Op type. */
  op: z.string(),
  /** IDs of the nodes of a step with this op and these shapes. */
  nodes: z.array(z.string()),
  /** Tensor types, such as `f32[32, 16, 32, 32]`. */
  inputs: z.array(z.string()),
  outputs: z.array(z.string()),
  /** Source of the times; `left`: the time limit was reached, and the default kernel is used. */
  source: z.enum(["cache", "timed", "left"]),
  /** Name of the kernel in use. */
  chosen: z.string(),
  /** Candidates, the default first; `time` is that of a run, null if it was not timed. */
  candidates: z.array(z.strictObject({ name: z.string(), time: milliseconds.nullable(), chosen: z.boolean() })),
});

/** Result of autotuning. */
export const autotuneResultSchema = z.strictObject({
  ops: z.array(tunedOpSchema),
  /** Ops whose times came from the cache. */
  hits: count,
  spent: milliseconds,
  /** Time of the tuned ops in a step, with the default and with the chosen kernels. */
  before: milliseconds,
  after: milliseconds,
  clock: z.enum(["device", "host"]),
  /** Path of the file that caches the times. */
  cache: z.string(),
  warnings: z.array(z.string()),
});

export type AutotuneResult = z.infer<typeof autotuneResultSchema>;
export type TunedOpResult = z.infer<typeof tunedOpSchema>;
