import { z } from "zod";

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();

/** One op in one shape, with the times of the kernels that can compute it. */
const tunedOpSchema = z.strictObject({
  /** Type of the op. */
  op: z.string(),
  /** Ids of the nodes of a step that are such ops. */
  nodes: z.array(z.string()),
  /** Types, such as `f32[32, 16, 32, 32]`. */
  inputs: z.array(z.string()),
  outputs: z.array(z.string()),
  /** Where the times come from; `left`: the time was up, and the default is used. */
  source: z.enum(["cache", "timed", "left"]),
  /** Name of the kernel that is used. */
  chosen: z.string(),
  /** The default first; time of a run, null where there is none. */
  candidates: z.array(z.strictObject({ name: z.string(), time: milliseconds.nullable(), chosen: z.boolean() })),
});

/** What autotuning did. */
export const autotuneResultSchema = z.strictObject({
  ops: z.array(tunedOpSchema),
  /** Ops whose times came from the cache. */
  hits: count,
  spent: milliseconds,
  /** Time of a step in the tuned ops, with the default kernels and with the chosen ones. */
  before: milliseconds,
  after: milliseconds,
  clock: z.enum(["device", "host"]),
  /** The file that times are kept in. */
  cache: z.string(),
  warnings: z.array(z.string()),
});

export type AutotuneResult = z.infer<typeof autotuneResultSchema>;
export type TunedOpResult = z.infer<typeof tunedOpSchema>;
