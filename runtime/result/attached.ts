/**
 * Schema of {@linkcode AttachResult}.
 *
 * @module
 */
import { z } from "zod";
import { percentileSchema } from "./comparison.ts";
import { type TotalName, TOTALS } from "../attach/records.ts";
import { CAUSES } from "../record/idle_causes.ts";
import { UNTIMED } from "../record/untimed.ts";
import type { AttachResult } from "./attach_result.ts";

const count = z.int().nonnegative();
const number = z.number();
const figure = z.number().nullable();
const text = z.string();
const line = z.string().nullable();

/** Counts and times of a program by kind, over its run or a step. Results of earlier versions have no round trips. */
const totalsSchema = z.strictObject(
  Object.fromEntries(
    TOTALS.map((name) => [name, name.startsWith("roundTrip") ? number.default(0) : number]),
  ) as Record<TotalName, typeof number>,
);

const stepSchema = z.strictObject({
  ...{ from: count, to: count, start: number, end: number, wall: number, firstSubmit: count, endSubmit: count },
  totals: totalsSchema,
  timing: z.enum(["timed", "untimed", "mixed"]),
  warmUp: z.boolean(),
});

const accountSchema = z.strictObject({
  ...{ wall: number, kernels: number, sum: number, span: number },
  idle: z.record(z.enum(CAUSES), number),
});

const kernelSchema = z.strictObject({
  ...{ name: text, label: text, entryPoint: text, hash: text, does: text, line },
  ...{ dispatches: count.nullable(), calls: count, perStep: figure },
  timedBy: z.enum(["pass", "batch"]).nullable(),
  // Results of earlier versions have none
  untimed: z.enum(UNTIMED).nullable().default(null),
  ...{ total: figure, median: figure, share: figure, boundGBs: figure },
  samples: z.array(number).exactOptional(),
  grids: z.array(z.strictObject({ grid: z.tuple([count, count, count]).nullable(), calls: count })),
});

const bufferFields = { label: text, size: number, usage: count, line };

const memorySchema = z.strictObject({
  ...{ now: number, peak: number },
  // Results of earlier versions have none
  exactPeak: figure.default(null),
  largest: z.array(z.strictObject({ ...bufferFields, created: number, age: number })),
  leaks: z.array(z.strictObject({ ...bufferFields, count, bytes: number })),
  // Results of earlier versions have none
  keptWarmUp: z.strictObject({ count, bytes: number }).default({ count: 0, bytes: 0 }),
  collected: z.strictObject({ count, bytes: number }),
});

const pipelineSchema = z.strictObject({
  type: z.enum(["compute", "render"]),
  ...{
    name: text,
    time: number,
    callMs: number,
    readyMs: figure,
    step: count.nullable(),
    inSteadyStep: z.boolean(),
    line,
  },
});

const adviceSchema = z.strictObject({
  ...{ kind: text, message: text, fix: text, mostMs: number, share: number, reasoning: text },
  evidence: z.array(z.strictObject({ label: text, value: text })),
});

const clockSchema = z.strictObject({
  issues: z.array(z.strictObject({
    kind: z.enum(["coarse", "merged", "overlapping", "reset", "still", "negative", "disagrees", "missing"]),
    passes: count,
    refused: z.boolean(),
  })),
  ...{ usable: z.boolean(), resets: count, resolution: figure, error: figure },
  defects: z.record(text, count),
  ...{ unusable: count, unslotted: count, selfTimed: count },
});

const deviceSchema = z.strictObject({
  ...{ realm: text, label: text, adapter: text },
  timestamps: z.enum(["program", "added", "none"]),
  steps: z.strictObject({
    by: z.enum(["wait", "submit", "mark", "step", "pattern", "none"]),
    how: text,
    steps: z.array(stepSchema),
  }),
  ...{ steadySteps: count, timedSteps: count, accountedSteps: count, timedWall: figure, untimedWall: figure },
  /** Missing in results of earlier versions. */
  percentiles: z.array(percentileSchema).optional(),
  account: accountSchema.nullable(),
  cost: z.strictObject({
    ratio: number,
    interval: z.strictObject({ low: number, high: number }).nullable(),
    pairs: count,
  }).nullable(),
  totals: totalsSchema,
  perStep: totalsSchema.nullable(),
  // Results of earlier versions have none
  boundBuffers: count.nullable().default(null),
  kernels: z.array(kernelSchema),
  memory: memorySchema.nullable(),
  pipelines: z.array(pipelineSchema),
  modules: count,
  errors: z.array(z.strictObject({ type: text, message: text, scoped: z.boolean(), time: number })),
  // Results of earlier versions have none
  advice: z.array(adviceSchema).default([]),
  lost: z.strictObject({ reason: text, message: text, time: number }).nullable(),
  clock: clockSchema,
});

const browserSchema = z.strictObject({
  product: text.nullable(),
  ...{ userAgent: text, url: text },
  flags: z.array(text),
  ...{ connected: z.boolean(), isolated: z.boolean(), secure: z.boolean(), hasWebGPU: z.boolean() },
  clockStep: figure,
  load: z.strictObject({
    ...{ downloads: count, downloadMs: number, downloadBytes: number, cached: count },
    ...{ wasm: count, wasmMs: number, wasmBytes: number },
    ...{ longTasks: count, longTaskMs: number, longestTaskMs: number, heapBytes: figure },
  }).nullable(),
});

/** Schema of {@linkcode AttachResult}. */
export const attachedSchema: z.ZodType<AttachResult> = z.strictObject({
  kind: z.literal("attach"),
  schemaVersion: z.literal(1),
  devices: z.array(deviceSchema),
  complete: z.boolean(),
  // Results of earlier versions have none
  browser: browserSchema.nullable().default(null),
  notes: z.array(text),
});
