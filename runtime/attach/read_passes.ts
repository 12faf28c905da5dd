import type { PassTimes } from "../record/device_samples.ts";
import type { PassChecker } from "./checked_passes.ts";
import type { TimedPass } from "./query_sets.ts";
import type { PassesRecord } from "./records.ts";

/** Timed passes of one reading. */
export type ReadPasses = Omit<PassesRecord, "kind" | "device">;

/** A pass with its timestamps. */
export type PassWithTimes = TimedPass & PassTimes;

/** Returns passes with the values of their query set. */
export function withTimes(slots: readonly TimedPass[], values: BigUint64Array): PassWithTimes[] {
  return slots.map((slot) => ({ ...slot, begin: values[slot.at]!, end: values[slot.at + 1]! }));
}

/**
 * Checks the passes of one reading, and returns them by column.
 *
 * @param done host time in ms at which the device was done with all of them
 */
export function readPasses(checker: PassChecker, passes: readonly PassWithTimes[], done: number): ReadPasses {
  const ordered = passes.toSorted((a, b) => a.order - b.order);
  return {
    site: ordered.map(({ site }) => site),
    submit: ordered.map(({ submit }) => submit),
    between: ordered.map(({ between }) => between),
    ...checker.check(ordered, done),
  };
}
