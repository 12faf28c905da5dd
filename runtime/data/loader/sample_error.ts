import { InputError, TachoError } from "../../core/errors.ts";

/** What a user is told of a sample that cannot be made: which it is, where it comes from where that is known, and the cause. */
export function sampleError(error: unknown, sample: number, batch: number, where: string | null): InputError {
  const cause = error instanceof TachoError
    ? error.message
    : error instanceof Error
    ? `${error.name}: ${error.message}`
    : String(error);
  const told = where === null || cause.includes(where) ? cause : `${where}: ${cause}`;
  return new InputError(`Sample ${sample} (batch ${batch}): ${told}`, { cause: error });
}

/** A source has not answered in time. */
export class LateError extends InputError {}

/** Ends the making of a batch that nobody will take, or that another thread makes. */
export class RetiredError extends Error {}

/** A sample at which a thread was lost before: it is not tried again, and whoever lost the thread has told why. */
export class LostSampleError extends InputError {}

/** A sample that cannot be replaced, even where wrong ones are. */
export class FatalSampleError extends InputError {}

/**
 * `promise`, or after `ms` milliseconds an error.
 *
 * @throws {LateError} if it took longer
 */
export async function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new LateError(`the source has not answered in ${seconds(ms)} (loader.timeout=${ms})`));
    }, ms);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** `0.05 s`, `1.3 s`, `120 s`. */
export function seconds(ms: number): string {
  return `${ms < 10_000 ? Number((ms / 1000).toPrecision(2)) : Math.round(ms / 1000)} s`;
}
