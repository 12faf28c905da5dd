import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError } from "../../core/errors.ts";
import type { Version } from "./version.ts";

/** Configuration files of Deno. */
const CONFIGURATIONS = ["deno.json", "deno.jsonc"];

/** Matches `npm:NAME@VERSION`. */
const SPECIFIER = /^npm:(?<name>@?[^@\s]+)@(?<version>[^@\s/]+)$/;

/** Returns true if a version is one of a package. */
export function isPackage(name: string): boolean {
  return name.startsWith("npm:");
}

/**
 * Selects a version of an npm package by an import map, which has the other imports of the current folder's project too.
 *
 * @param specifier such as `npm:@scope/name@1.2.0`
 * @param temporary folder for the import map
 * @throws {InputError} if the specifier is malformed, or the project's imports cannot be read
 */
export async function packageVersion(specifier: string, cwd: string, temporary: string): Promise<Version> {
  const { name } = SPECIFIER.exec(specifier)?.groups ?? {};
  if (name === undefined) throw new InputError(`Expected a package such as npm:@scope/name@1.2.0, got "${specifier}"`);
  const { imports, scopes } = await projectImports(cwd);
  const map = {
    imports: { ...imports, [name]: specifier, [`${name}/`]: `npm:/${specifier.slice(4)}/`, [`npm:${name}`]: specifier },
    scopes,
  };
  const file = join(temporary, `${specifier.replace(/[^\w.@-]+/g, "-")}.json`);
  await Deno.writeTextFile(file, JSON.stringify(map));
  return { name: specifier, description: "", cwd, flags: [`--import-map=${file}`, "--no-lock"] };
}

/** Returns the imports of the project around a folder, with absolute targets. */
async function projectImports(cwd: string): Promise<{ imports: Record<string, string>; scopes: object }> {
  for (let folder = cwd;; folder = dirname(folder)) {
    for (const name of CONFIGURATIONS) {
      const file = join(folder, name);
      const text = await Deno.readTextFile(file).catch(() => null);
      if (text === null) continue;
      const { imports = {}, scopes = {} } = parsed(text, file);
      const base = pathToFileURL(file);
      const absolute = Object.entries(imports).map(([key, target]) =>
        [key, /^\.{0,2}\//.test(target) ? new URL(target, base).href : target] as const
      );
      return { imports: Object.fromEntries(absolute), scopes };
    }
    if (dirname(folder) === folder) return { imports: {}, scopes: {} };
  }
}

function parsed(text: string, file: string): { imports?: Record<string, string>; scopes?: object } {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InputError(`${file}: expected JSON without comments: ${(cause as Error).message}`, { cause });
  }
}
