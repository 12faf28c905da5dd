/**
 * Values that the commands which run programs share.
 *
 * @module
 */
import { ENOUGH_SETUPS } from "../analysis/comparison/setups.ts";
import type { OutputTolerance } from "../analysis/comparison/outputs.ts";
import { parseSteps, type Steps } from "../attach/settings.ts";
import type { Statistic } from "../core/percentile.ts";
import { InputError } from "../core/errors.ts";

/** Help of `--steps`. */
export const STEPS_HELP = "how steps are found: auto, wait, submit:N or mark (default: auto)";

/** Help of `--processes`. */
export const PROCESSES_HELP =
  `fresh processes that each runs in, evenly over the rounds; the unit of the test (default: ${ENOUGH_SETUPS})`;

/** Default time without a step after which a program fails, in seconds. */
export const STEP_TIMEOUT = 120;

/** Options that set how a comparison of programs measures. */
interface MeasureOptions {
  readonly block?: number | undefined;
  readonly skip?: number | undefined;
  readonly warmup?: number | undefined;
  readonly rounds?: number | undefined;
  readonly processes?: number | undefined;
  readonly measure?: Statistic | undefined;
  readonly outputTolerance?: OutputTolerance | undefined;
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

/**
 * Returns the settings under `measure` that the options give. What a process keeps for life, such as where its memory lies,
 * differs between two processes of one program, so that each runs in several by default.
 */
export function measureOf(
  { block, warmup, skip = warmup, rounds, processes = ENOUGH_SETUPS, measure = "mean", outputTolerance }:
    MeasureOptions,
) {
  return {
    statistic: measure,
    outputs: outputTolerance,
    ...block === undefined ? {} : { steps: block },
    ...skip === undefined ? {} : { skip },
    ...rounds === undefined ? {} : { rounds },
    processes,
  };
}

/** Rounds of whole runs by default, and warm-up runs. */
const [RUNS, WARM_UP_RUNS] = [20, 1];

/** Returns the settings under `measure` of whole runs, each of which is a fresh process. */
export function measureOfRuns(
  { block = 1, warmup, skip, rounds = RUNS, measure = "mean", outputTolerance }: MeasureOptions,
) {
  const runs = warmup ?? skip ?? WARM_UP_RUNS;
  return { statistic: measure, outputs: outputTolerance, steps: block, skip: runs, maxSkip: runs, rounds };
}
