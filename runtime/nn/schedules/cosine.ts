import { z } from "zod";
import { COSINE_FALL } from "../../../ops/optimizer/rate_schedule.ts";
import { record } from "../../data/kinds.ts";
import { afterWarmUp, falling, length, part, type ScheduleDef, warmUpFields, withWarmUp } from "./schedule_def.ts";
import type { CosineOptions, CosineSpec } from "./types.ts";

const schema = z.strictObject({
  kind: z.literal("cosine"),
  steps: length,
  minFactor: part.default(0).describe("last rate, as a fraction of the learning rate"),
  ...warmUpFields,
}).refine(({ steps, warmup }) => warmup < steps, { path: ["warmup"], error: "expected fewer updates than steps" });

/**
 * Lowers the learning rate along half a period of a cosine (I. Loshchilov and F. Hutter, "SGDR", 2017), after a linear
 * warm-up: PyTorch's `LinearLR`, then `CosineAnnealingLR` with `T_max = steps - warmup` and `eta_min = minFactor
 * learningRate`. After `steps` updates the rate stays.
 */
export function cosine(options: CosineOptions): CosineSpec {
  return record(schema, options);
}

export const cosineSchedule: ScheduleDef<typeof schema> = {
  schema,
  onDevice: (spec) =>
    afterWarmUp(spec, {
      prelude: COSINE_FALL,
      uniforms: { scheduleSpan: spec.steps - spec.warmup, scheduleLeast: { f32: spec.minFactor } },
      body: `
  if (n >= u.scheduleSpan) { return u.scheduleLeast; }
  return u.scheduleLeast + (1.0 - u.scheduleLeast) * schedule_falling(f32(n) / f32(u.scheduleSpan));`,
    }),
  factor: (spec, t) =>
    withWarmUp(spec, t, (n) => {
      const { minFactor, steps, warmup } = spec;
      return minFactor + (1 - minFactor) * falling(Math.min(1, n / (steps - warmup)));
    }),
};
