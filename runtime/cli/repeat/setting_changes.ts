import { pathToFileURL } from "node:url";
import type { VariantConfig } from "../../result/config.ts";
import type { Result } from "../../result/schema.ts";
import { type RunSpec, specDifferences } from "../../store/run_spec.ts";

/**
 * In what a repeated run's settings differ from those of the first, a line each. How long was measured does not count, nor
 * do another version of Tacho and where the data lies, which the environment shows.
 *
 * @param folder of the workspace that it ran in
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
  return specDifferences(whatIsTrained(then), whatIsTrained(spec));
}

function whatIsTrained(spec: RunSpec): RunSpec {
  const variants = spec.variants.map(({ name, config: { measure: _, ...config } }) => ({ name, config }));
  return { ...spec, variants };
}

/** Data of a folder is the same wherever the folder lies; no folder at all stands for other data. */
function withFirstFolder(config: VariantConfig, first: VariantConfig): VariantConfig {
  const dir = first.data?.dir ?? null;
  if (dir === null || (config.data?.dir ?? null) === null) return config;
  return { ...config, data: { ...config.data, dir } };
}

/** Settings name modules by their address; those of the copies are written as the first run had them. */
function withFirstAddresses(config: VariantConfig, first: VariantConfig, folder: string): VariantConfig {
  const home = `${pathToFileURL(folder).href}/modules`;
  const addresses = [...JSON.stringify(first).matchAll(/file:[^"]*/g)].map(([address]) => address);
  const text = JSON.stringify(config).replaceAll(new RegExp(`${RegExp.escape(home)}(/[^"]*)`, "g"), (copy, path) => {
    return addresses.find((address) => address.endsWith(path)) ?? copy;
  });
  return JSON.parse(text);
}
