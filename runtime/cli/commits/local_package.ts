import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { InputError } from "../../core/errors.ts";
import { inspectFile, readTextIfAny } from "../../core/files.ts";

/** Entry of `exports`: a file, none, or files by condition. */
type Target = string | null | { readonly [condition: string]: Target };

const targetSchema: z.ZodType<Target> = z.lazy(() =>
  z.union([z.string(), z.null(), z.record(z.string(), targetSchema)])
);
const dependencies = z.record(z.string(), z.string()).default({});

const packageSchema = z.looseObject({
  name: z.string(),
  version: z.string().default(""),
  exports: targetSchema.optional(),
  module: z.string().optional(),
  main: z.string().optional(),
  dependencies,
  peerDependencies: dependencies,
});

/** Conditions of `exports` that Deno takes, in a package's own order. */
const CONDITIONS = new Set(["deno", "node", "import", "module-sync", "default"]);

/** A package in a folder, as an import map selects it. */
export interface LocalPackage {
  readonly name: string;
  /** Name and version. */
  readonly description: string;
  /** URL of its folder, with a slash at the end. */
  readonly url: string;
  readonly imports: Readonly<Record<string, string>>;
  /** Imports of its own modules: its dependencies. */
  readonly scopes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Reads a package that is not published.
 *
 * @param specifier `file:` and the path of its folder, or of a tarball as `npm pack` makes it
 * @param cwd folder that the path is relative to
 * @param temporary folder in which tarballs are unpacked
 * @throws {InputError} if there is no package, or its package.json is malformed
 */
export async function localPackage(specifier: string, cwd: string, temporary: string): Promise<LocalPackage> {
  const path = resolve(cwd, decoded(specifier.replace(/^file:(\/\/)?/, "")));
  const info = await Deno.stat(path).catch(() => null);
  if (info === null) throw new InputError(`${specifier}: no such folder or tarball: ${path}`);
  if (!info.isDirectory) inspectFile(path, "; expected a folder or a tarball");
  const folder = info.isDirectory ? path : await unpack(specifier, path, temporary);
  const file = join(folder, "package.json");
  const text = readTextIfAny(file);
  if (text === null) {
    throw new InputError(`${specifier}: expected a package with a package.json, found none at ${file}`);
  }
  const parsed = packageSchema.safeParse(jsonOf(text));
  if (!parsed.success) throw new InputError(`${file}: ${z.prettifyError(parsed.error)}`);
  const { name, version, dependencies, peerDependencies, ...entries } = parsed.data;
  const url = `${pathToFileURL(folder).href}/`;
  const imports = importsOf(name, entries, url);
  if (imports[name] === undefined) {
    throw new InputError(`${file}: the package has no entry for imports; expected exports, module or main`);
  }
  const own = Object.entries({ ...peerDependencies, ...dependencies }).map(([dependency, range]) =>
    [dependency, `npm:${dependency}@${range}`] as const
  );
  const scope = Object.fromEntries(own.flatMap(([dependency, target]) => [
    [dependency, target],
    [`${dependency}/`, `npm:/${target.slice(4)}/`],
  ]));
  return { name, description: `${name}@${version}`, url, imports, scopes: { [url]: { ...imports, ...scope } } };
}

/** Returns a path without the escapes of URLs; a path with a lone `%` stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Unpacks a tarball, and returns the folder of its package. */
async function unpack(specifier: string, path: string, temporary: string): Promise<string> {
  const folder = await Deno.makeTempDir({ dir: temporary });
  const run = async () => await new Deno.Command("tar", { args: ["-xzf", path, "-C", folder] }).output();
  const { success, stderr } = await run().catch((cause) => {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new InputError(`${specifier}: tar is not installed; unpack the tarball and name its folder`, { cause });
  });
  if (!success) {
    const reason = new TextDecoder().decode(stderr).trim().split("\n")[0];
    throw new InputError(`${specifier}: expected a folder or a tarball as npm pack makes it (${reason})`);
  }
  const [top] = [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory);
  return join(folder, top?.name ?? "package");
}

/** Returns the imports that a package's entries are. */
function importsOf(
  name: string,
  { exports, module, main }: Pick<z.infer<typeof packageSchema>, "exports" | "module" | "main">,
  url: string,
): Record<string, string> {
  const at = (path: string) => new URL(path, url).href;
  if (exports === undefined) {
    const entry = module ?? main;
    return { ...entry === undefined ? {} : { [name]: at(entry) }, [`${name}/`]: url };
  }
  const isMap = typeof exports === "object" && exports !== null &&
    Object.keys(exports).some((key) => key.startsWith("."));
  const entries: [string, Target][] = isMap ? Object.entries(exports) : [[".", exports]];
  return Object.fromEntries(entries.flatMap(([key, target]): [string, string][] => {
    const path = chosen(target);
    if (path === null) return [];
    const imported = name + key.slice(1);
    // An import map knows no patterns, but folders
    if (key.includes("*")) {
      return key.endsWith("/*") && path.endsWith("/*") ? [[imported.slice(0, -1), at(path.slice(0, -1))]] : [];
    }
    return [[imported, at(path)]];
  }));
}

/** Returns the file of an entry under Deno's conditions; null without any. */
function chosen(target: Target): string | null {
  if (typeof target !== "object" || target === null) return target;
  for (const [condition, inner] of Object.entries(target)) {
    const path = CONDITIONS.has(condition) ? chosen(inner) : null;
    if (path !== null) return path;
  }
  return null;
}
