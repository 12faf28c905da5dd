import { z } from "zod";
import { runExperiment } from "../experiment/run_experiment.ts";
import { profileOf } from "../record/schedule.ts";
import type { Result } from "../result/schema.ts";
import type { Scenario } from "../scenario/definition.ts";
import { formatOverride } from "../scenario/override.ts";
import { resolveForAdapter } from "../scenario/resolve_for_adapter.ts";
import type { MeasurementControls, Watch } from "./measurement.ts";
import { CONTROLS, texts, withOptions } from "./options.ts";
import { specOf } from "./retention.ts";
import { runFromScript } from "./run_from_script.ts";
import { describeScript, type Script } from "./script.ts";
import { type CommandRun, measureWatched } from "./watched_run.ts";
import type { ProfileSettings } from "../scenario/setting_types.ts";

/** Options of `measure`. */
export interface MeasurementOptions extends MeasurementControls {
  /** Settings and sweeps as on the command line: `["loader.batchSize=64", "sink=0,10"]`. */
  readonly settings?: readonly string[] | undefined;
  /** Names of the variants to measure. Default: all. */
  readonly variants?: readonly string[] | undefined;
  /** Adapter to use: `low-power`, `high-performance`, or part of its name, UUID or PCI address. */
  readonly adapter?: string | undefined;
  /**
   * Profiles steps after the measured ones, in a schedule like that of the scenario's `profile`; true profiles 5 steps after
   * one warm-up step, false none. Default: true with `report`, else as the scenario says.
   */
  readonly profile?: boolean | ProfileSettings | undefined;
  /** Keeps the adapter's peaks and the times of kernels in the cache folder, as the command line does. Default false. */
  readonly cache?: boolean | undefined;
}

const optionsSchema = z.strictObject({
  ...CONTROLS,
  settings: texts.optional(),
  variants: texts.optional(),
  adapter: z.string({ error: "expected a text" }).optional(),
  profile: z.union([z.boolean(), z.looseObject({})], { error: "expected true, false or a schedule" }).optional(),
  cache: z.boolean({ error: "expected true or false" }).optional(),
});

/**
 * Measures a scenario for `measure()`.
 *
 * @param ofScript script of the result; null for the main module of this process
 * @param command command line that repeats the run; null if none does
 */
export function measureScenario(
  scenario: Scenario,
  options: MeasurementOptions,
  watch: Watch,
  ofScript: Script | null = null,
  command: CommandRun | null = null,
): Promise<Result> {
  return withOptions("measure", optionsSchema, options, async () => {
    const { settings = [], variants, seed, adapter, cache = false } = options;
    const { profile = options.report === undefined ? undefined : true } = options;
    const schedule = typeof profile === "object" ? [formatOverride("profile", profile)] : [];
    const overrides = [...settings, ...schedule];
    const resolved = await resolveForAdapter(scenario, { overrides, variants, seed, adapter });
    const script = ofScript ?? describeScript();
    const settled = {
      adapter,
      profile: profile === false ? null : profileOf(resolved, profile === true),
      script,
      cache,
    };
    return await measureWatched(
      specOf(resolved, script),
      options,
      watch,
      (connection) =>
        runFromScript(resolved, { overrides, variants, seed }, { ...settled, ...connection }, runExperiment),
      command,
    );
  });
}
