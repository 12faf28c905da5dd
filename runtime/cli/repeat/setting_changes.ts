import type { Result } from "../../result/schema.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import { type RunSpec, specDifferences } from "../../store/run_spec.ts";
import { portableVariants } from "../../library/kept/portable_spec.ts";

/**
 * Lists the differences between the settings of a repeated run and those of the first, one line each. Ignores the length of
 * the measurement, and the version of Tacho and the folder of the data, which are part of the environment.
 *
 * @param modules modules of the first run, of which the second used copies
 */
export function settingChanges(then: RunSpec, now: Result, modules: readonly ModuleSource[]): string[] {
  const { scenario: { name, sha256, seed }, baseline, variants } = now;
  const comparable = (spec: RunSpec): RunSpec => ({
    ...spec,
    variants: portableVariants(spec.variants, modules, () => "")
      .map(({ name, config: { measure: _, ...config } }) => ({ name, config })),
  });
  const spec = { tacho: then.tacho, scenario: name, sha256, seed, baseline, variants };
  return specDifferences(comparable(then), comparable(spec));
}
