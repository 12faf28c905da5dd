import { z } from "zod";
import type { RateSchedule } from "../../../ops/optimizer/rate_schedule.ts";
import { deviceCount, nonNegativeInteger } from "../../data/checked.ts";
import type { KindSchema } from "../../data/kinds.ts";

/** A schedule of the learning rate. Defined in one file, listed in `nn/schedules.ts`. */
export interface ScheduleDef<S extends KindSchema = KindSchema> {
  /** Settings with their help texts and defaults; the `kind` is the factory's name. */
  readonly schema: S;
  /** Returns the schedule as device code. */
  onDevice(spec: z.output<S>): RateSchedule;
  /**
   * Returns the factor on the learning rate in f64.
   *
   * @param t number of updates so far, excluding skipped ones
   */
  factor(spec: z.output<S>, t: number): number;
}

/** A fraction of the learning rate. */
export const part = z.number({ error: "expected a number" }).min(0, { error: "expected at least 0" })
  .max(1, { error: "expected at most 1" });

/** Updates until the end of a schedule. */
export const length = deviceCount.describe("updates until the end, after which the rate stays");

/** Fields of a schedule that can begin with a warm-up. */
export const warmUpFields = {
  warmup: nonNegativeInteger.max(2 ** 32 - 1, { error: "expected at most 4294967295" }).default(0).describe(
    "updates during which the rate rises linearly to the learning rate",
  ),
  warmupStart: part.default(0).describe("rate of the first update of the warm-up, as a fraction of the learning rate"),
};

/** Settings of a warm-up. */
export interface WarmUp {
  readonly warmup: number;
  readonly warmupStart: number;
}

/** Adds a linear warm-up before a schedule, whose code then sees `n: u32`, the number of updates after the warm-up. */
export function afterWarmUp({ warmup, warmupStart }: WarmUp, { uniforms, body, ...rest }: RateSchedule): RateSchedule {
  return {
    ...rest,
    uniforms: { scheduleWarmup: warmup, scheduleStart: { f32: warmupStart }, ...uniforms },
    body: `
  if (t < u.scheduleWarmup) {
    return u.scheduleStart + (1.0 - u.scheduleStart) * f32(t) / f32(u.scheduleWarmup);
  }
  let n = t - u.scheduleWarmup;${body}`,
  };
}

/** Returns the factor of a warm-up at update `t`, and that of the schedule after it. */
export function withWarmUp({ warmup, warmupStart }: WarmUp, t: number, after: (n: number) => number): number {
  return t < warmup ? warmupStart + (1 - warmupStart) * t / warmup : after(t - warmup);
}

/** Returns half a period of a cosine that falls from 1 at 0 to 0 at 1. */
export function falling(x: number): number {
  return (1 + Math.cos(Math.PI * x)) / 2;
}
