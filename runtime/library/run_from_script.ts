import type { ExperimentOptions } from "../experiment/options.ts";
import type { Result } from "../result/schema.ts";
import type { ResolvedScenario, ResolveOptions } from "../scenario/resolve.ts";
import { openProject } from "../store/script_project.ts";
import { scriptPath } from "./script.ts";

type Run = typeof import("../experiment/run_experiment.ts").runExperiment;

/** Keys of {@linkcode ResolveOptions}, except for `adapters`. */
const SETTINGS: readonly string[] = [
  ...["overrides", "variants", "exclude", "steps", "skip", "rounds", "precision", "maxTime", "minEffect", "aa", "seed"],
  "measure",
  ...["bottleneck", "dataDir"],
];

/**
 * Runs a scenario. The script of this process is the source of the variants that run in fresh processes, unless the main
 * module is not a file.
 *
 * @param settings settings from outside the script; other options are ignored
 */
export async function runFromScript(
  scenario: ResolvedScenario,
  settings: ResolveOptions,
  options: ExperimentOptions,
  run: Run,
): Promise<Result> {
  const { name, measure: { processes }, adapted, variants } = scenario;
  const path = scriptPath();
  if (processes === null || variants.length === 0 || path === null) return await run(scenario, options);
  const given = Object.entries(settings).filter(([key]) => SETTINGS.includes(key));
  const adapters = adapted?.adapters;
  await using project = await openProject(path);
  const processSource = {
    script: Deno.mainModule,
    args: Deno.args,
    flags: [...project.configFlags, ...project.lockFlags],
    scenario: name,
    settings: { ...Object.fromEntries(given), ...adapters === undefined ? {} : { adapters } },
    adapter: options.adapter ?? null,
  };
  return await run(scenario, { ...options, processSource });
}
