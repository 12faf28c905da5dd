import config from "../../deno.json" with { type: "json" };

/** URL of the folder that contains this copy of Tacho. */
export const TACHO_ROOT: string = new URL("../../", import.meta.url).href;

/** Parts of Tacho below its root, as in the repository. Scripts and examples next to them count as the user's. */
const PARTS: readonly string[] = ["mod.ts", "deno.json", "runtime/", "ops/", "types/"];

/** True in a package whose modules are compiled to JavaScript. */
const COMPILED = import.meta.url.endsWith(".js");

/** URLs of the files and folders of this copy of Tacho. */
export const TACHO_FILES: readonly string[] = PARTS.map((part) => partUrl(part));

/** Matches a package name with its registry and version, and an entry point: `jsr:@tacho/tacho@^0.1.0/cli`. */
const SPECIFIER = /^(?:jsr|npm):\/?(@[^/]+\/[^/@]+)(?:@[^/]+)?(?:\/(.+))?$/;

/**
 * Returns the path of a module of Tacho as in the repository, or null for another module. Modules of a package and of a
 * clone have the same paths.
 *
 * @param url URL of a file, or an entry point of Tacho's package such as `npm:@tacho/tacho@0.1.0`
 */
export function partOfTacho(url: string): string | null {
  const [, name, entry] = url.match(SPECIFIER) ?? [];
  if (name === config.name) return entryPath(entry);
  if (!url.startsWith(TACHO_ROOT)) return null;
  const path = withExtension(url.slice(TACHO_ROOT.length), ".js", ".ts");
  return PARTS.some((part) => part.endsWith("/") ? path.startsWith(part) : path === part) ? path : null;
}

/** Returns the URL of a part of this copy of Tacho, given its path in the repository. */
export function partUrl(path: string): string {
  return new URL(withExtension(path, ".ts", ".js"), TACHO_ROOT).href;
}

function entryPath(entry: string | undefined): string | null {
  const exports: Readonly<Record<string, string>> = config.exports;
  const path = exports[entry === undefined ? "." : `./${entry}`]?.replace(/^\.\//, "");
  return path === undefined ? null : withExtension(path, ".js", ".ts");
}

function withExtension(path: string, from: string, to: string): string {
  return COMPILED && path.endsWith(from) ? `${path.slice(0, -from.length)}${to}` : path;
}
