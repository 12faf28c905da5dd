import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError } from "../../core/errors.ts";
import { moduleUrl } from "../../data/module_info.ts";
import { type ModuleSource, TACHO } from "../../store/module_source.ts";
import { importRoot, partUrl } from "../../store/tacho_files.ts";

/** Allowed targets of imports besides Tacho and the modules themselves. */
const ADDRESS = /^(npm|jsr|node|https?|file):/;

export interface ImportMap {
  readonly imports: Readonly<Record<string, string>>;
  readonly scopes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Returns an import map with which modules in `folder` find Tacho, each other and packages. Each module has its own scope,
 * so that its imports do not affect others. Names of modules in settings map to their copies everywhere.
 *
 * @throws {InputError} if an import has a target that is not allowed
 */
export function importMapOf(modules: readonly ModuleSource[], folder: string): ImportMap {
  const urlOf = (path: string) => pathToFileURL(join(folder, ...path.split("/"))).href;
  const scopes = modules.map(({ path, imports }) => {
    const url = urlOf(path);
    const entries = Object.entries(imports).map(([specifier, target]) => {
      const key = /^\.{0,2}\//.test(specifier) ? new URL(specifier, url).href : specifier;
      return [key, resolveTarget(target, modules, urlOf, `${path}: import "${specifier}"`)] as const;
    });
    return [url, Object.fromEntries(entries)] as const;
  });
  const names = modules.flatMap(({ path, names }) => names.map((name) => [moduleUrl(name), urlOf(path)] as const));
  return { imports: Object.fromEntries(names), scopes: Object.fromEntries(scopes) };
}

function resolveTarget(
  target: string,
  modules: readonly ModuleSource[],
  urlOf: (path: string) => string,
  where: string,
): string {
  if (target.startsWith(TACHO)) {
    const url = partUrl(target.slice(TACHO.length));
    if (url.startsWith(importRoot())) return url;
  } else if (target.startsWith("./")) {
    const path = target.slice(2);
    if (modules.some((module) => module.path === path)) return urlOf(path);
  } else if (ADDRESS.test(target)) {
    return target;
  }
  throw new InputError(`${where} resolves to "${target}"; expected Tacho, a stored module or a package`);
}
