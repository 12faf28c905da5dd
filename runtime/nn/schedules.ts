/**
 * The list of schedules of the learning rate. A schedule is a plain record, which overrides can change. Semantics and names
 * follow `torch.optim.lr_scheduler`, with rates as fractions of the optimizer's learning rate.
 *
 * @module
 */
import { z } from "zod";
import type { RateSchedule } from "../../ops/optimizer/rate_schedule.ts";
import { alternatives, kindOf, schemasOf } from "../data/kinds.ts";
import { constantSchedule } from "./schedules/constant.ts";
import { cosineSchedule } from "./schedules/cosine.ts";
import { oneCycleSchedule } from "./schedules/one_cycle.ts";
import type { ScheduleDef } from "./schedules/schedule_def.ts";
import { stepSchedule } from "./schedules/step.ts";
import type { ScheduleSpec } from "./schedules/types.ts";

export type { ScheduleSpec } from "./schedules/types.ts";

/** All schedules. */
export const SCHEDULES = [constantSchedule, stepSchedule, cosineSchedule, oneCycleSchedule] as const;

/** Schema of a schedule, by `kind`. */
export const scheduleSchema = z.discriminatedUnion("kind", schemasOf(SCHEDULES), {
  error: `expected ${alternatives(SCHEDULES.map((definition) => `schedules.${kindOf(definition)}()`))}, or null`,
});

/** Returns the definition of a schedule. */
export function scheduleOf(spec: ScheduleSpec): ScheduleDef {
  return SCHEDULES.find((definition) => kindOf(definition) === spec.kind)!;
}

/** Returns a schedule as device code; null without one. */
export function rateScheduleOf(spec: ScheduleSpec | null): RateSchedule | null {
  return spec === null ? null : scheduleOf(spec).onDevice(spec);
}
