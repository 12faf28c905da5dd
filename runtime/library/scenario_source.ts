import type { ScenarioSource } from "../experiment/processes/protocol.ts";
import type { ResolvedScenario, ResolveOptions } from "../scenario/resolve.ts";
import { openProject } from "../store/script_project.ts";
import { scriptPath } from "./script.ts";

/** Keys of {@linkcode ResolveOptions}, except for `adapters`. */
const SETTINGS: readonly string[] = [
  ...["overrides", "variants", "exclude", "steps", "skip", "rounds", "precision", "maxTime", "minEffect", "aa", "seed"],
  ...["bottleneck", "dataDir"],
];

/**
 * Runs `work` with the script of this process as the source of a scenario's variants; null without `measure.processes`, and
 * where the main module is not a file.
 *
 * @param settings settings from outside the script; other options are ignored
 */
export async function withScenarioSource<T>(
  { name, measure: { processes }, adapted, variants }: ResolvedScenario,
  settings: ResolveOptions,
  adapter: string | undefined,
  work: (source: ScenarioSource | null) => Promise<T>,
): Promise<T> {
  const path = scriptPath();
  if (processes === null || variants.length === 0 || path === null) return await work(null);
  const given = Object.entries(settings).filter(([key]) => SETTINGS.includes(key));
  const adapters = adapted?.adapters;
  await using project = await openProject(path);
  return await work({
    script: Deno.mainModule,
    args: Deno.args,
    flags: [...project.configFlags, ...project.lockFlags],
    scenario: name,
    settings: { ...Object.fromEntries(given), ...adapters === undefined ? {} : { adapters } },
    adapter: adapter ?? null,
  });
}
