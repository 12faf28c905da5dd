/**
 * `--tune`: searches for faster settings of the script's scenario.
 *
 * @module
 */
import { InputError } from "../core/errors.ts";
import { readText, writeFile } from "../core/files.ts";
import type { ExperimentOptions } from "../experiment/options.ts";
import { DEFAULT_PROFILE } from "../record/schedule.ts";
import type { Emit } from "../result/run_event.ts";
import type { Change, Result } from "../result/schema.ts";
import type { Scenario } from "../scenario/definition.ts";
import { formatOverride, parseOverride } from "../scenario/override.ts";
import { type ResolvedScenario, type ResolveOptions, resolveScenario } from "../scenario/resolve.ts";
import type { Flags } from "./flags.ts";
import type { Retention } from "../library/retention.ts";
import { experimentArgs, withoutFlags } from "./repeat/experiment_args.ts";
import { writeLock } from "./repeat/lock_file.ts";
import { recipeOfScript } from "./repeat/recipe_of_script.ts";
import { scriptPath } from "../library/script.ts";

/** Default of `--tune-time`, in seconds. */
const DEFAULT_SECONDS = 600;

/**
 * Default measurement of a rung, if neither a flag nor the scenario's `measure.precision` sets it: enough rounds for the
 * test to reach significance, then until the interval is narrow or the time is up.
 */
const MEASURE = { rounds: 8, precision: 0.05, maxTime: 30 } as const;

/**
 * Returns the name of the variant to tune: the one in `--variants`, else the baseline.
 *
 * @throws {InputError} if the command line has several
 */
export function variantToTune({ baseline, variants }: ResolvedScenario, flags: Flags): string {
  const swept = flags.overrides.find((text) => parseOverride(text).values.length > 1);
  if (swept !== undefined) {
    throw new InputError(`--tune: chooses settings itself and accepts no sweep, got "${swept}"; give one value`);
  }
  if (flags.variants === undefined) return baseline;
  if (variants.length === 1) return variants[0]!.name;
  throw new InputError(`--tune: works on one variant, got --variants ${flags.variants.join(",")}; name one of them`);
}

/** Tunes a variant. Returns the comparison of initial and tuned settings with the ladder, and the kept changes. */
export async function tuneScenario(
  definition: Scenario,
  variant: string,
  flags: Flags,
  options: ExperimentOptions & {
    readonly retention: Pick<Retention, "keepPrediction" | "keepRung">;
    /** Keys of the scenario's `adapters` that apply. */
    readonly adapters: readonly string[] | undefined;
  },
): Promise<{ result: Result; kept: readonly Change[] }> {
  const { tune } = await import("../experiment/tune/tune.ts");
  const { retention, adapters } = options;
  const resolve = (changes: readonly Change[]) => resolveTuned(definition, variant, { ...flags, adapters }, changes);
  const path = scriptPath();
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
    seconds: flags.tuneTime ?? DEFAULT_SECONDS,
    resolve,
    source: path === null ? null : readText(new URL(Deno.mainModule)),
    onEvent,
  });
}

function resolveTuned(
  definition: Scenario,
  variant: string,
  flags: Flags & Pick<ResolveOptions, "adapters">,
  changes: readonly Change[],
) {
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
 * Writes a lock file of the tuned settings.
 *
 * @returns the path of the file; null if the script is not a file
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
  writeFile(file, writeLock(recipe));
  return file;
}

function overridesOf(changes: readonly Change[]): string[] {
  return changes.map(({ path, to }) => formatOverride(path, to));
}
