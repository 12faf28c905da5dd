import { InputError } from "../../core/errors.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import { sha256 } from "../../core/sha256.ts";

/**
 * Checks before stored modules are written that each stays inside its folder and is unchanged.
 *
 * @param where origin of the modules, for messages
 * @throws {InputError} naming the module that fails
 */
export function checkModules(modules: readonly ModuleSource[], where: string): void {
  if (modules.length === 0) throw new InputError(`${where}: contains no script`);
  const seen = new Set<string>();
  for (const module of modules) {
    const { path, text } = module;
    if (!staysInside(path)) {
      throw new InputError(
        `${where}: module "${path}" would be written outside its folder; expected a relative path`,
      );
    }
    // Some file systems are case-insensitive
    const key = path.toLowerCase();
    if (seen.has(key)) throw new InputError(`${where}: contains two modules named "${path}"`);
    seen.add(key);
    const found = sha256(text);
    if (found !== module.sha256) {
      throw new InputError(
        `${where}: module "${path}" was changed or damaged: its SHA-256 is ${found.slice(0, 12)}..., expected ` +
          `${module.sha256.slice(0, 12)}...`,
      );
    }
  }
  for (const path of seen) {
    const parent = [...seen].find((other) => path.startsWith(`${other}/`));
    if (parent !== undefined) throw new InputError(`${where}: module "${parent}" is the folder of another, "${path}"`);
  }
}

/** Returns true if a path stays below its folder on every system. */
function staysInside(path: string): boolean {
  if (path === "" || path.length > 1024) return false;
  if (/[\\:\p{Cc}]/u.test(path)) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
