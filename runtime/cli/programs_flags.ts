/**
 * Values that the commands which run programs share.
 *
 * @module
 */
import { parseSteps, type Steps } from "../attach/settings.ts";
import { InputError } from "../core/errors.ts";

/** Help of `--steps`. */
export const STEPS_HELP = "how steps are found: auto, wait, submit:N or mark (default: auto)";

/** Help of `--processes`. */
export const PROCESSES_HELP =
  "fresh processes that each runs in, evenly over the rounds; they become the unit of the test";

/** Default time without a step after which a program fails, in seconds. */
export const STEP_TIMEOUT = 120;

/** Options that set how a comparison of programs measures. */
interface MeasureOptions {
  readonly block?: number | undefined;
  readonly skip?: number | undefined;
  readonly rounds?: number | undefined;
  readonly processes?: number | undefined;
}

/**
 * Reads the value of `--steps`.
 *
 * @throws {InputError} if it names no method
 */
export function stepsOf(text: string): Steps {
  const steps = parseSteps(text);
  if (steps === null) throw new InputError(`--steps: expected auto, wait, submit:N or mark, got "${text}"`);
  return steps;
}

/**
 * Checks the value of `--steps`, and returns it as it is.
 *
 * @throws {InputError} if it names no method
 */
export function stepsText(text: string): string {
  stepsOf(text);
  return text;
}

/** Returns the settings under `measure` that the options give. */
export function measureOf({ block, skip, rounds, processes }: MeasureOptions) {
  return {
    ...block === undefined ? {} : { steps: block },
    ...skip === undefined ? {} : { skip },
    ...rounds === undefined ? {} : { rounds },
    ...processes === undefined ? {} : { processes },
  };
}
