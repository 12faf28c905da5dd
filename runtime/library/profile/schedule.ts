import { InputError } from "../../core/errors.ts";
import type { ProfileRequest } from "../../record/schedule.ts";

/** Steps to record, as in `torch.profiler.schedule`. */
export interface ProfileSchedule {
  /** Steps to skip once, at the start. Default 0. */
  readonly skipFirst?: number;
  /** Steps to skip at the start of each cycle. Default 0. */
  readonly wait?: number;
  /** Steps to record and discard next. Default 0. */
  readonly warmup?: number;
  /** Steps to record and keep next. Default: all that follow. */
  readonly active?: number;
  /** Number of cycles of wait, warmup and active; 0 for as many as the loop has steps for. Default 0. */
  readonly repeat?: number;
}

const MIN = { skipFirst: 0, wait: 0, warmup: 0, active: 1, repeat: 0 } as const;

/**
 * Checks a schedule and fills in its defaults; an unlimited number is `Infinity`.
 *
 * @throws {InputError} for a number of steps that is not a whole number, or too small
 */
export function requestOf(schedule: ProfileSchedule): ProfileRequest {
  for (const key of Object.keys(MIN) as (keyof typeof MIN)[]) {
    const value = schedule[key];
    if (value === undefined || (Number.isSafeInteger(value) && value >= MIN[key])) continue;
    throw new InputError(
      `profile: ${key} is ${Deno.inspect(value)}, expected a whole number of at least ${MIN[key]}`,
    );
  }
  const { skipFirst = 0, wait = 0, warmup = 0, active = Infinity, repeat = 0 } = schedule;
  return { skipFirst, wait, warmup, active, repeat: repeat === 0 ? Infinity : repeat };
}

/** Returns the number of the cycle that a step belongs to. */
export function cycleOf({ skipFirst, wait, warmup, active }: ProfileRequest, step: number): number {
  return Math.floor((step - skipFirst) / (wait + warmup + active));
}
