import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { InputError } from "../../core/errors.ts";
import { readTextIfAny, writeFile } from "../../core/files.ts";
import { localPackage } from "./local_package.ts";
import type { Version } from "./version.ts";

/** Configuration files of Deno. */
const CONFIGURATIONS = ["deno.json", "deno.jsonc"];

/** Matches `npm:NAME@VERSION`. */
const SPECIFIER = /^npm:(?<name>@?[^@\s]+)@(?<version>[^@\s/]+)$/;

/** A version of a package. */
export interface PackageVersion extends Version {
  readonly package: {
    /** Name of the package. */
    readonly name: string;
    /** Name and version as in the list of npm's packages of `deno info`, or the URL of its folder. */
    readonly loaded: string;
  };
}

/** Returns true if a version is one of a package. */
export function isPackage(name: string): boolean {
  return /^(npm|file):/.test(name);
}

/**
 * Selects a version of an npm package by an import map, which has the other imports of the current folder's project too.
 *
 * @param specifier `npm:@scope/name@1.2.0`, or `file:` and the path of a folder or tarball
 * @param temporary folder for the import map
 * @throws {InputError} if the specifier is malformed, there is no package, or the project's imports cannot be read
 */
export async function packageVersion(specifier: string, cwd: string, temporary: string): Promise<PackageVersion> {
  const project = projectImports(cwd);
  const selected = specifier.startsWith("file:")
    ? await localPackage(specifier, cwd, temporary)
    : publishedPackage(specifier);
  const { name, description, url, imports, scopes } = selected;
  const map = {
    imports: { ...redirected(project.imports, name, imports), ...imports, [`npm:${name}`]: imports[name] },
    scopes: { ...project.scopes, ...scopes },
  };
  const file = await Deno.makeTempFile({ dir: temporary, suffix: ".json" });
  writeFile(file, JSON.stringify(map));
  const flags = [`--import-map=${file}`, "--no-lock"];
  return { name: specifier, description, cwd, flags, package: { name, loaded: url } };
}

function publishedPackage(specifier: string) {
  const { name } = SPECIFIER.exec(specifier)?.groups ?? {};
  if (name === undefined) {
    throw new InputError(
      `Expected a package such as npm:@scope/name@1.2.0, file:../lib or file:lib-1.2.0.tgz, got "${specifier}"`,
    );
  }
  const imports: Record<string, string> = { [name]: specifier, [`${name}/`]: `npm:/${specifier.slice(4)}/` };
  return { name, description: "", url: specifier.slice(4), imports, scopes: {} };
}

/** Replaces what imports name of a package by its selected version: also under another name, and parts of it. */
function redirected(
  project: Readonly<Record<string, string>>,
  name: string,
  selected: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(project).map(([key, target]) => {
      const [, found, part = ""] = /^npm:\/?(@?[^@/]+(?:\/[^@/]+)?)(?:@[^/]*)?(\/.*)?$/.exec(target) ?? [];
      if (found !== name) return [key, target];
      const isFolder = selected[`${name}/`] !== undefined && part !== "";
      return [key, selected[name + part] ?? (isFolder ? `${selected[`${name}/`]}${part.slice(1)}` : target)];
    }),
  );
}

/** Returns the imports of the project around a folder, with absolute targets. */
function projectImports(cwd: string): { imports: Record<string, string>; scopes: object } {
  for (let folder = cwd;; folder = dirname(folder)) {
    for (const name of CONFIGURATIONS) {
      const file = join(folder, name);
      const text = readTextIfAny(file);
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
