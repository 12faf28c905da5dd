import { pathToFileURL } from "node:url";
import type { VariantConfig } from "../../result/config.ts";
import type { Result } from "../../result/schema.ts";
import { type RunSpec, specDifferences } from "../../store/run_spec.ts";

/**
 * Lists the differences between the settings of a repeated run and those of the first, one line each. Ignores the length of
 * the measurement, and the version of Tacho and the folder of the data, which are part of the environment.
 *
 * @param folder folder of the workspace in which it ran
 */
export function settingChanges(then: RunSpec, now: Result, folder: string): string[] {
  const { scenario: { name, sha256, seed }, baseline, variants } = now;
  const configs = variants.map((variant) => {
    const before = then.variants.find((other) => other.name === variant.name);
    if (before === undefined) return { name: variant.name, config: variant.config };
    const config = withFirstAddresses(variant.config, before.config, folder);
    return { name: variant.name, config: withFirstFolder(config, before.config) };
  });
  const spec = { tacho: then.tacho, scenario: name, sha256, seed, baseline, variants: configs };
  return specDifferences(withoutMeasure(then), withoutMeasure(spec));
}

function withoutMeasure(spec: RunSpec): RunSpec {
  const variants = spec.variants.map(({ name, config: { measure: _, ...config } }) => ({ name, config }));
  return { ...spec, variants };
}

/** Replaces the folder of the data by that of the first run. Data without a folder is different data. */
function withFirstFolder(config: VariantConfig, first: VariantConfig): VariantConfig {
  const dir = first.data?.dir ?? null;
  if (dir === null || (config.data?.dir ?? null) === null) return config;
  return { ...config, data: { ...config.data, dir } };
}

/** Replaces the URLs of copied modules in settings by those of the first run. */
function withFirstAddresses(config: VariantConfig, first: VariantConfig, folder: string): VariantConfig {
  const home = `${pathToFileURL(folder).href}/modules`;
  const addresses = [...JSON.stringify(first).matchAll(/file:[^"]*/g)].map(([address]) => address);
  const text = JSON.stringify(config).replaceAll(new RegExp(`${RegExp.escape(home)}(/[^"]*)`, "g"), (copy, path) => {
    return addresses.find((address) => address.endsWith(path)) ?? copy;
  });
  return JSON.parse(text);
}
