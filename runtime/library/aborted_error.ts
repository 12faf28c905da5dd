import { InterruptedError } from "../core/errors.ts";
import type { Result } from "../result/schema.ts";

/** A measurement was aborted by its `AbortSignal`, whose reason is the `cause`. Exit status 130. */
export class AbortedError extends InterruptedError {
  /** Name of the class. */
  override name = "AbortedError";

  /**
   * Result of what was measured before the abort: complete rounds are compared, and ended variants have the status
   * `interrupted`. Null if the measurement had not begun: aborted at the start, while it waited for another one, or while it
   * was planned.
   */
  readonly partial: Result | null;

  /** Creates an error with the result so far and the reason of the abort. */
  constructor(partial: Result | null, reason: unknown) {
    super("The measurement was aborted", { cause: reason });
    this.partial = partial;
  }
}
