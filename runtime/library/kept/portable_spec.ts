import { resolve } from "node:path";
import type { ModuleSource } from "../../store/module_source.ts";
import type { RunRecord } from "../../store/records.ts";
import type { RunSpec } from "../../store/run_spec.ts";

/**
 * Returns the spec of a kept run without the folder in which it ran: the URL of a kept module becomes its relative path with
 * a hash of its text, and the data's folder is absolute. A run and its repeat, in a copy of the project, have the same one.
 *
 * @param sameData omits the folder of the data
 */
export function portableSpec({ spec, modules, cwd }: RunRecord, sameData: boolean): RunSpec {
  return { ...spec, variants: portableVariants(spec.variants, modules, (dir) => sameData ? "" : resolve(cwd, dir)) };
}

/**
 * Returns variants in which the URLs of modules are relative paths with hashes.
 *
 * @param dataFolder returns the folder of the data in the new form
 */
export function portableVariants(
  variants: RunSpec["variants"],
  modules: readonly ModuleSource[],
  dataFolder: (dir: string) => string,
): RunSpec["variants"] {
  const place = (value: unknown): unknown => {
    if (typeof value === "string") return value.startsWith("file:") ? moduleName(value, modules) : value;
    if (Array.isArray(value)) return value.map(place);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, place(one)]));
  };
  return variants.map(({ name, config }) => {
    const { data } = config;
    const dir = data?.dir ?? null;
    const moved = dir === null ? config : { ...config, data: { ...data, dir: dataFolder(dir) } };
    return { name, config: place(moved) as typeof config };
  });
}

/** Returns the longest path of a kept module with which a URL ends, with the module's hash; otherwise the URL. */
function moduleName(url: string, modules: readonly ModuleSource[]): string {
  const path = decodeURI(url);
  const named = modules.filter((module) => path.endsWith(`/${module.path}`));
  const module = named.toSorted((a, b) => b.path.length - a.path.length)[0];
  return module === undefined ? url : `${module.path} (${module.sha256.slice(0, 12)})`;
}
