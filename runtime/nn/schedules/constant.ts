import { z } from "zod";
import { record } from "../../data/kinds.ts";
import { afterWarmUp, type ScheduleDef, warmUpFields, withWarmUp } from "./schedule_def.ts";
import type { ConstantOptions, ConstantSpec } from "./types.ts";

const schema = z.strictObject({ kind: z.literal("constant"), ...warmUpFields });

/** Keeps the learning rate, after a linear warm-up as by PyTorch's `LinearLR`. */
export function constant(options: ConstantOptions = {}): ConstantSpec {
  return record(schema, options);
}

export const constantSchedule: ScheduleDef<typeof schema> = {
  schema,
  onDevice: (spec) => afterWarmUp(spec, { uniforms: {}, body: "\n  return 1.0;" }),
  factor: (spec, t) => withWarmUp(spec, t, () => 1),
};
