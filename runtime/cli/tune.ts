/**
 * `--tune`: searches for faster settings of the script's scenario.
 *
 * @module
 */
import { join } from "node:path";
import { InputError } from "../core/errors.ts";
import { readText, writeFile } from "../core/files.ts";
import { shellWord } from "../core/shell_word.ts";
import type { ExperimentOptions } from "../experiment/options.ts";
import { isSandboxed } from "../library/missing_permission.ts";
import { scriptPath } from "../library/script.ts";
import { DEFAULT_PROFILE } from "../record/schedule.ts";
import type { Change, Result } from "../result/schema.ts";
import type { Scenario } from "../scenario/definition.ts";
import { formatOverride, parseOverride } from "../scenario/override.ts";
import { type ResolvedScenario, type ResolveOptions, resolveScenario } from "../scenario/resolve.ts";
import { type Flags, settingsOf } from "./flags.ts";
import { experimentArgs, withoutFlags } from "./repeat/experiment_args.ts";
import { writeLock } from "./repeat/lock_file.ts";
import { recipeOfScript } from "./repeat/recipe_of_script.ts";
import { tachoCommand } from "./tacho_command.ts";
import { writeError } from "./terminal.ts";

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

/** Tunes the only variant of a scenario. Returns the comparison of initial and tuned settings with the ladder. */
export async function tuneScenario(
  definition: Scenario,
  { baseline: variant, adapted }: ResolvedScenario,
  flags: Flags,
  options: ExperimentOptions,
): Promise<Result> {
  const { tune } = await import("../experiment/tune/tune.ts");
  return await tune(variant, {
    ...options,
    runRecorder: null,
    profile: options.profile ?? DEFAULT_PROFILE,
    seconds: flags.tuneTime ?? DEFAULT_SECONDS,
    resolve: (changes) => resolveTuned(definition, variant, { ...flags, adapters: adapted?.adapters }, changes),
    source: scriptPath() === null ? null : readText(new URL(Deno.mainModule)),
  });
}

function resolveTuned(
  definition: Scenario,
  variant: string,
  flags: Flags & Pick<ResolveOptions, "adapters">,
  changes: readonly Change[],
) {
  const given = {
    ...settingsOf(flags),
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
 * Writes a lock file of the tuned settings to the folder of the report, and prints its name. Does nothing if no setting was
 * changed, the script is not a file, or this process may not write one.
 */
export async function lockTuned(
  { scenario: { name }, ladder }: Result,
  { report = ".", quiet }: Flags,
  args: readonly string[],
): Promise<void> {
  const script = scriptPath();
  const changes = ladder?.rungs.filter(({ kept }) => kept).flatMap((rung) => rung.changes) ?? [];
  if (changes.length === 0 || script === null || isSandboxed()) return;
  const others = withoutFlags(experimentArgs(args), ["--tune", "--tune-time", "--variants"]);
  const recipe = await recipeOfScript(script, [...others, ...overridesOf(changes), "--variants", ladder!.variant]);
  const file = join(report, `${name}-tuned.lock.json`);
  writeFile(file, writeLock(recipe));
  if (quiet !== true) writeError(`tuned experiment: ${file} (${tachoCommand()} repeat ${shellWord(file)})\n`);
}

function overridesOf(changes: readonly Change[]): string[] {
  return changes.map(({ path, to }) => formatOverride(path, to));
}
