import { z } from "zod";
import { byPhase } from "./phases.ts";

/** Units of metrics: `ms`, `bytes`, `ratio`, or a rate such as `images/s`. */
export const unitSchema = z.union([z.enum(["ms", "bytes", "ratio"]), z.templateLiteral([z.string().min(1), "/s"])]);

/** One number of the matrix. `low` and `high` are the spread over blocks, or null where there is none to tell. */
export const metricSchema = z.strictObject({
  value: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  unit: unitSchema,
  /** Whether the figure is the time of a whole sink divided by its steps. */
  amortised: z.boolean(),
});

const metric = metricSchema.nullable();

/** The metrics of a variant, under the names of the reports. What was not measured is null. */
export const metricsSchema = z.strictObject({
  /** Samples of a block / its wall time. */
  ips: metric,
  /** ips / the baseline's ips. */
  speedup: metric,
  /** From the start of one step to the start of the next. */
  batchCost: metric,
  /** The part of the batch cost in which the training loop waited for a batch. */
  readerCost: metric,
  /** A step by the variant's `timing`: around the submit, with a wait, or from its first pass to its last. */
  stepTime: metric,
  /** Device idle between the phases of one step and those of the next. */
  iterationGap: metric,
  ...byPhase(metricSchema),
  /** Phase time / window. */
  deviceBusy: metric,
  /** Time lost per step in Deno's own sleep after a wait for the device. */
  runtimeWait: metric,
  /** Preparing the variant: plan, pipelines, buffers. */
  setup: metric,
  /** The first step, which compiles the shaders. */
  firstStep: metric,
  /** Extra time of a step with phase timestamps over one without, as a part of the latter. */
  profilingCost: metric,
  /** On the test split, at the last evaluation. */
  accuracy: metric,
});

export type Unit = z.infer<typeof unitSchema>;
export type Metric = z.infer<typeof metricSchema>;
export type Metrics = z.infer<typeof metricsSchema>;
/** A metric with a field of its own. */
export type MetricName = Exclude<keyof Metrics, "phases">;
