import { roundsToReject } from "../../analysis/comparison/winsorised.ts";
import { InputError } from "../../core/errors.ts";
import type { Change, Ladder, Result, VariantResult } from "../../result/schema.ts";
import type { Emit, RunEvent, TimelineEvent } from "../../result/run_event.ts";
import { describeConfig } from "../../scenario/describe.ts";
import { equal } from "../../scenario/duplicates.ts";
import type { ResolvedScenario } from "../../scenario/resolve.ts";
import { runExperiment } from "../run_experiment.ts";
import type { ExperimentOptions } from "../options.ts";
import { climb, type Trial } from "./climb.ts";
import { patchScript } from "./patch.ts";

export interface TuneOptions extends ExperimentOptions {
  /** Time limit in seconds, after which no rung starts. */
  readonly seconds: number;
  /**
   * Returns a scenario with only the variant to tune, with changes applied.
   *
   * @throws {InputError} if the changed settings are invalid
   */
  readonly resolve: (changes: readonly Change[]) => ResolvedScenario;
  /** Text of the script; null if it is not a file. */
  readonly source: string | null;
}

/** Names of the variants of a rung. */
const CURRENT = "current";
const CANDIDATE = "candidate";

/** Names of the variants of the final comparison. */
const START = "start";
const TUNED = "tuned";

/**
 * Tunes a variant by its own findings. Each is compared with the settings without it by the full procedure of an experiment.
 * The result is a new comparison of the start with the tuned settings, and the ladder.
 *
 * @throws {InputError} if the variant itself cannot run
 */
export async function tune(variant: string, options: TuneOptions): Promise<Result> {
  const began = performance.now();
  let rung = 0;
  let name = "the start";
  let last: Result | null = null;
  let timelines: TimelineEvent[] = [];
  const emit: Emit = options.onEvent ?? (() => {});
  const elapsed = () => (performance.now() - began) / 1000;
  /** Converts the progress of one experiment to progress of the climb. */
  const along = ({ message }: Extract<RunEvent, { type: "progress" }>) => ({
    message: [name, message].filter((part) => part !== undefined).join(" · "),
    fraction: Math.min(1, elapsed() / options.seconds),
  });
  const run = (scenario: ResolvedScenario, unprofiled?: string) => {
    timelines = [];
    return runExperiment(scenario, {
      ...options,
      minRounds: roundsToReject(1), // regardless of the time: no rung can be kept with fewer
      ...unprofiled === undefined ? {} : { unprofiled },
      onEvent: (event) => {
        if (event.type === "timeline") timelines.push(event);
        else if (event.type === "progress") emit({ ...event, ...along(event) });
        else if (event.type !== "start" && event.type !== "result") emit(event);
      },
    });
  };
  const first = options.resolve([]);
  emit({ type: "start", scenario: first.name, seed: first.seed, baseline: variant, variants: [variant] });
  const climbed = await climb({
    start: async () => {
      last = await run(first);
      return only(last);
    },
    try: async (kept, changes) => {
      const before = timelines;
      const trial = await tryOut(options, kept, changes, run);
      // The ladder tells of a rung that cannot run; the run itself has not failed
      if (trial.result?.variants.some(({ status }) => status === "failed") === false) last = trial.result;
      else timelines = before;
      return trial;
    },
    predicted: (prediction) => {
      name = `rung ${++rung}: ${prediction.name}`;
      emit({ type: "prediction", ...prediction });
    },
    onRung: (rung) => emit({ type: "rung", rung }),
    interrupted: options.interrupted,
    elapsed,
  }, options.seconds);
  name = "the start against the tuned settings";
  const proof = climbed.kept.length === 0 || options.interrupted()
    ? null
    : await run(matrix(START, first, TUNED, options.resolve(climbed.kept)));
  const direct = proof?.variants.find((one) => one.name === TUNED)?.comparison?.speedup ?? null;
  const { kept, ...rest } = climbed;
  const ladder: Ladder = {
    variant,
    ...rest,
    total: direct ?? climbed.total,
    patch: options.source === null ? null : patchScript(options.source, options.script.file!, variant, kept),
  };
  for (const timeline of timelines) emit(timeline);
  const result = { ...proof ?? last!, ladder };
  emit({ type: "result", result });
  return result;
}

async function tryOut(
  { resolve }: TuneOptions,
  kept: readonly Change[],
  changes: readonly Change[],
  run: (scenario: ResolvedScenario, unprofiled: string) => Promise<Result>,
): Promise<Trial & { result: Result | null }> {
  const below = resolve(kept);
  const refused = (error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    return { below: null, above: null, problem: error.message, result: null };
  };
  let above: ResolvedScenario;
  try {
    above = resolve([...kept, ...changes]);
  } catch (error) {
    return refused(error);
  }
  if (equal(describeConfig(below.variants[0]!.config), describeConfig(above.variants[0]!.config))) {
    return { below: null, above: null, problem: "no effect: the settings already have these values", result: null };
  }
  // The settings below have been profiled before
  let result: Result;
  try {
    result = await run(matrix(CURRENT, below, CANDIDATE, above), CURRENT);
  } catch (error) {
    return refused(error); // the settings below have run before
  }
  const side = (name: string) => result.variants.find((variant) => variant.name === name)!;
  return { below: side(CURRENT), above: side(CANDIDATE), problem: null, result };
}

/** Returns a scenario with the only variants of two others. */
function matrix(firstName: string, first: ResolvedScenario, secondName: string, second: ResolvedScenario) {
  return {
    ...first,
    baseline: firstName,
    variants: [
      { ...first.variants[0]!, name: firstName },
      { ...second.variants[0]!, name: secondName },
    ],
  };
}

function only({ variants }: Result): VariantResult {
  return variants[0]!;
}
