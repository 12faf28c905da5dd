import { InputError } from "../../core/errors.ts";
import type { Trainer } from "../../trainer/trainer.ts";
import type { LoopProfile } from "./loop_profile.ts";
import type { ProfileSchedule } from "./schedule.ts";

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
