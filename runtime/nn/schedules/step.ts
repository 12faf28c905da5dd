import { z } from "zod";
import { deviceCount } from "../../data/checked.ts";
import { record } from "../../data/kinds.ts";
import { afterWarmUp, part, type ScheduleDef, warmUpFields, withWarmUp } from "./schedule_def.ts";
import type { StepOptions, StepSpec } from "./types.ts";

const schema = z.strictObject({
  kind: z.literal("step"),
  stepSize: deviceCount.describe("updates between two changes, counted after the warm-up"),
  gamma: part.default(0.1).describe("factor on the rate at each change"),
  ...warmUpFields,
});

/** Largest number of changes, in bits; the rate stays after as many. */
const BITS = 16;

/** Multiplies the learning rate by `gamma` every `stepSize` updates, as PyTorch's `StepLR` does. */
export function step(options: StepOptions): StepSpec {
  return record(schema, options);
}

export const stepSchedule: ScheduleDef<typeof schema> = {
  schema,
  onDevice: (spec) =>
    afterWarmUp(spec, {
      uniforms: {
        scheduleSize: spec.stepSize,
        // gamma^(2^i), rounded once; every power is a product of these
        schedulePowers: { table: Array.from({ length: BITS }, (_, i) => spec.gamma ** (2 ** i)) },
      },
      body: `
  let changes = min(n / u.scheduleSize, ${2 ** BITS - 1}u);
  var factor = 1.0;
  for (var i = 0u; i < ${BITS}u; i++) {
    if ((changes >> i & 1u) == 1u) { factor *= u.schedulePowers[i / 4u][i % 4u]; }
  }
  return factor;`,
    }),
  factor: (spec, t) => withWarmUp(spec, t, (n) => spec.gamma ** Math.min(Math.floor(n / spec.stepSize), 2 ** BITS - 1)),
};
