import { z } from "zod";
import { COSINE_FALL } from "../../../ops/optimizer/rate_schedule.ts";
import { record } from "../../data/kinds.ts";
import { falling, length, part, type ScheduleDef } from "./schedule_def.ts";
import type { OneCycleOptions, OneCycleSpec } from "./types.ts";

const divisor = z.number({ error: "expected a number" }).min(1, { error: "expected at least 1" });

const schema = z.strictObject({
  kind: z.literal("oneCycle"),
  steps: length,
  pctStart: part.default(0.3).describe("fraction of the updates during which the rate rises"),
  divFactor: divisor.default(25).describe("the first rate is learningRate / divFactor"),
  finalDivFactor: divisor.default(1e4).describe("the last rate is the first rate / finalDivFactor"),
  anneal: z.enum(["cos", "linear"], { error: 'expected "cos" or "linear"' }).default("cos")
    .describe("shape of the rise and the fall"),
});

type Settings = z.output<typeof schema>;

/**
 * Raises the learning rate from a fraction to its full value, and lowers it to almost 0 (L. Smith and
 * N. Topin, "Super-Convergence", 2018): PyTorch's `OneCycleLR` with `max_lr = learningRate`, `total_steps = steps`, two
 * phases, and a constant momentum (`cycle_momentum=False`). After `steps` updates the rate stays.
 */
export function oneCycle(options: OneCycleOptions): OneCycleSpec {
  return record(schema, options);
}

/** Returns the update with the full rate, which may be a fraction and lie before the first one, and the last update. */
function turns({ steps, pctStart }: Settings): { peak: number; last: number } {
  return { peak: pctStart * steps - 1, last: steps - 1 };
}

/** Returns the first and the last factor. */
function ends({ divFactor, finalDivFactor }: Settings): { first: number; final: number } {
  return { first: 1 / divFactor, final: 1 / divFactor / finalDivFactor };
}

export const oneCycleSchedule: ScheduleDef<typeof schema> = {
  schema,
  onDevice(spec) {
    const { peak, last } = turns(spec);
    const { first, final } = ends(spec);
    const fall = (x: string) => spec.anneal === "cos" ? `schedule_falling(${x})` : `(1.0 - ${x})`;
    return {
      prelude: spec.anneal === "cos" ? COSINE_FALL : "",
      uniforms: {
        schedulePeak: { f32: peak },
        scheduleLast: { f32: last },
        scheduleFirst: { f32: first },
        scheduleFinal: { f32: final },
      },
      body: `
  let at = f32(t);
  if (at < u.schedulePeak) {
    return 1.0 + (u.scheduleFirst - 1.0) * ${fall("(at / u.schedulePeak)")};
  }
  if (u.schedulePeak >= u.scheduleLast) { return 1.0; }
  if (at >= u.scheduleLast) { return u.scheduleFinal; }
  let x = (at - u.schedulePeak) / (u.scheduleLast - u.schedulePeak);
  return u.scheduleFinal + (1.0 - u.scheduleFinal) * ${fall("x")};`,
    };
  },
  factor(spec, t) {
    const { peak, last } = turns(spec);
    const { first, final } = ends(spec);
    const fall = (x: number) => spec.anneal === "cos" ? falling(x) : 1 - x;
    if (t < peak) return 1 + (first - 1) * fall(t / peak);
    if (peak >= last) return 1;
    if (t >= last) return final;
    return final + (1 - final) * fall((t - peak) / (last - peak));
  },
};
