import { z } from "zod";
import { byPhase } from "./phases.ts";

/** Units of metrics: `ms`, `bytes`, `ratio`, or a rate such as `images/s`. */
export const unitSchema = z.union([z.enum(["ms", "bytes", "ratio"]), z.templateLiteral([z.string().min(1), "/s"])]);

/** A figure in the matrix. `min` and `max` are the extremes over blocks, or null for a single value. */
export const metricSchema = z.strictObject({
  value: z.number(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  unit: unitSchema,
  /** True for the time of a whole sink divided by its steps. */
  amortised: z.boolean(),
});

/** A ratio with the ends of its confidence interval. */
const ratioSchema = z.strictObject({
  value: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  unit: z.literal("ratio"),
});

const metric = metricSchema.nullable();

/** Metrics of a variant, by the names in reports. Null means not measured. */
export const metricsSchema = z.strictObject({
  /** Throughput: samples of a step / batch cost, both over the mean of the blocks; extremes are those of single blocks. */
  ips: metric,
  /** Times as fast as the baseline, as in the comparison. */
  speedup: ratioSchema.nullable(),
  /** Time from the start of one step to the start of the next. */
  batchCost: metric,
  /** Part of the batch cost that the training loop waited for a batch. */
  readerCost: metric,
  /** Step time by the variant's `timing`: around the submit, with a wait, or from the first pass to the last. */
  stepTime: metric,
  /** Idle time of the device between the phases of one step and those of the next. */
  iterationGap: metric,
  ...byPhase(metricSchema),
  /** Time in which a step waits for the average of its gradients over ranks; missing on one rank. */
  allReduce: metricSchema.exactOptional(),
  /** Sum of phase times / wall time. */
  deviceBusy: metric,
  /** Time per step that Deno sleeps after a wait for the device is over. */
  runtimeWait: metric,
  /** Time to prepare the variant: plan, pipelines, buffers. */
  setup: metric,
  /** Time of the first step, which compiles the shaders. */
  firstStep: metric,
  /** Extra time of a step with phase timestamps, relative to one without. */
  profilingCost: metric,
  /** Accuracy on the test split at the last evaluation. */
  accuracy: metric,
});

export type Unit = z.infer<typeof unitSchema>;
export type Metric = z.infer<typeof metricSchema>;
export type Metrics = z.infer<typeof metricsSchema>;
/** Name of a metric that has its own field. */
export type MetricName = Exclude<keyof Metrics, "phases">;
