/**
 * `--tune`: the ladder of a script's own scenario.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import type { ExperimentOptions } from "../experiment/options.ts";
import { DEFAULT_PROFILE } from "../record/schedule.ts";
import type { Emit } from "../result/run_event.ts";
import type { Change, Result } from "../result/schema.ts";
import type { Scenario } from "../scenario/definition.ts";
import { formatOverride, parseOverride } from "../scenario/override.ts";
import { type ResolvedScenario, resolveScenario } from "../scenario/resolve.ts";
import type { Flags } from "./flags.ts";
import type { Retention } from "./retention.ts";
import { experimentArgs, withoutFlags } from "./repeat/experiment_args.ts";
import { writeLock } from "./repeat/lock_file.ts";
import { recipeOfScript } from "./repeat/recipe_of_script.ts";
import { scriptPath } from "./script.ts";

/** Seconds, where `--tune-time` says nothing. */
const USUAL_SECONDS = 600;

/**
 * How a rung is measured where neither a flag nor the scenario's `measure.precision` says otherwise: with rounds enough
 * for its test to reach significance, until its interval is narrow or its time is up.
 */
const MEASURE = { rounds: 8, precision: 0.05, maxTime: 30 } as const;

/**
 * The variant that `--tune` works on: the one that `--variants` names, else the baseline.
 *
 * @throws {InputError} if the command line asks for several
 */
export function variantToTune({ baseline, variants }: ResolvedScenario, flags: Flags): string {
  const swept = flags.overrides.find((text) => parseOverride(text).values.length > 1);
  if (swept !== undefined) {
    throw new InputError(`--tune: finds settings by itself and takes no sweep, got "${swept}"; give one value`);
  }
  if (flags.variants === undefined) return baseline;
  if (variants.length === 1) return variants[0]!.name;
  throw new InputError(`--tune: works on one variant, got --variants ${flags.variants.join(",")}; name one of them`);
}

/** Climbs, and returns the matrix of start and tuned settings with the ladder beside it. */
export async function tuneScenario(
  definition: Scenario,
  variant: string,
  flags: Flags,
  options: ExperimentOptions & { readonly retention: Pick<Retention, "keepPrediction" | "keepRung"> },
): Promise<{ result: Result; kept: readonly Change[] }> {
  const { tune } = await import("../experiment/tune/tune.ts");
  const resolve = (changes: readonly Change[]) => resolveTuned(definition, variant, flags, changes);
  const path = scriptPath();
  const { retention } = options;
  let rungs = 0;
  const onEvent: Emit = (event) => {
    if (event.type === "prediction") {
      const { name, gain, reasoning } = event;
      retention.keepPrediction(rungs, { name, gain, reasoning });
    } else if (event.type === "rung") retention.keepRung(rungs++, event.rung);
    options.onEvent?.(event);
  };
  return await tune(variant, {
    ...options,
    runRecorder: null,
    profile: options.profile ?? DEFAULT_PROFILE,
    seconds: flags.tuneTime ?? USUAL_SECONDS,
    resolve,
    source: path === null ? null : await Deno.readTextFile(new URL(Deno.mainModule)),
    onEvent,
  });
}

function resolveTuned(definition: Scenario, variant: string, flags: Flags, changes: readonly Change[]) {
  const given = {
    ...flags,
    dataDir: flags.data,
    bottleneck: true,
    variants: [variant],
    overrides: [...flags.overrides, ...overridesOf(changes)],
  };
  const resolved = resolveScenario(definition, given);
  const { measure } = resolved;
  if (flags.rounds !== undefined || flags.precision !== undefined || measure.precision !== null) return resolved;
  return resolveScenario(definition, {
    ...given,
    rounds: Math.max(MEASURE.rounds, measure.rounds),
    precision: MEASURE.precision,
    maxTime: flags.maxTime ?? measure.maxTime ?? MEASURE.maxTime,
  });
}

/**
 * Writes the tuned settings as a locked experiment.
 *
 * @returns the file; null where the script is no file
 */
export async function lockTuned(
  file: string,
  variant: string,
  args: readonly string[],
  kept: readonly Change[],
): Promise<string | null> {
  const script = scriptPath();
  if (script === null) return null;
  const others = withoutFlags(experimentArgs(args), ["--tune", "--tune-time", "--variants"]);
  const recipe = await recipeOfScript(script, [...others, ...overridesOf(kept), "--variants", variant]);
  await Deno.writeTextFile(file, writeLock(recipe));
  return file;
}

function overridesOf(changes: readonly Change[]): string[] {
  return changes.map(({ path, to }) => formatOverride(path, to));
}
