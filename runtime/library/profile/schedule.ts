import { InputError } from "../../core/errors.ts";
import type { ProfileRequest } from "../../record/schedule.ts";
import type { Trainer } from "../../trainer/trainer.ts";
import type { LoopProfile } from "./loop_profile.ts";

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

/** Options of `profile()`. */
export interface ProfileOptions extends ProfileSchedule {
  /** Name of the loop in tables and traces. Default `loop`. */
  readonly name?: string;
  /** Trainer whose steps are recorded op by op. */
  readonly trainer?: Trainer;
  /** Device that the loop submits to, whose time of each step and range is recorded. Not with a trainer. */
  readonly device?: GPUDevice;
  /** Samples that a step of the loop processes, for its throughput. Default: those of the trainer's batches. */
  readonly samples?: number;
  /**
   * Measures the adapter's peaks at the end unless they are known, for the roofline and the share of its roof that each op
   * reaches; takes seconds. Default false: only known peaks are used. Needs a trainer.
   */
  readonly peaks?: boolean;
  /** Called at the end of each cycle of the schedule with the cycle's profile. */
  readonly onTrace?: (trace: LoopProfile) => void | Promise<void>;
}

/** @throws {InputError} for options that contradict each other, and wrong values */
export function checkOptions({ name, trainer, device, samples, peaks = false }: ProfileOptions): void {
  if (trainer !== undefined && device !== undefined) {
    throw new InputError("profile: got a trainer and a device; a trainer brings its own device, so leave device out");
  }
  if (peaks && trainer === undefined) {
    throw new InputError("profile: peaks is true without a trainer; only ops of a trainer are placed on the roofline");
  }
  if (name === "") throw new InputError('profile: name is "", expected a name for tables and traces');
  if (samples !== undefined && !(Number.isSafeInteger(samples) && samples > 0)) {
    throw new InputError(`profile: samples is ${Deno.inspect(samples)}, expected a whole number of at least 1`);
  }
}
