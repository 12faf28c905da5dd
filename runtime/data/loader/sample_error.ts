import { InputError } from "../../core/errors.ts";
import { namedReasonOf } from "../../core/shown.ts";

/** Error for a sample that cannot be made, with its index, its file or module if it has one, and the cause. */
export function sampleError(error: unknown, sample: number, batch: number, where: string | null): InputError {
  const cause = namedReasonOf(error);
  const reason = where === null || cause.includes(where) ? cause : `${where}: ${cause}`;
  return new InputError(`Sample ${sample} (batch ${batch}): ${reason}`, { cause: error });
}

/** Aborts a batch that is no longer needed, or that another thread is making. */
export class RetiredError extends Error {}

/** Error for a sample at which a thread was lost. It is not tried again; `DeadWorkers` has the reason. */
export class LostSampleError extends InputError {}

/** Error for a sample that cannot be replaced, even with `onError: "skip"`. */
export class FatalSampleError extends InputError {}

/** Formats a duration: `0.05 s`, `1.3 s`, `120 s`. */
export function seconds(ms: number): string {
  return `${ms < 10_000 ? Number((ms / 1000).toPrecision(2)) : Math.round(ms / 1000)} s`;
}
