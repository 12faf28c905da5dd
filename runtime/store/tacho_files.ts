import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { sha256 } from "../core/sha256.ts";
import { cacheFolder } from "../data/standin/cache.ts";

import config from "../../deno.json" with { type: "json" };

/** URL of the folder that contains this copy of Tacho. */
export const TACHO_ROOT: string = new URL("../../", import.meta.url).href;

/** Parts of Tacho below its root, as in the repository. Scripts and examples next to them count as the user's. */
const PARTS: readonly string[] = ["mod.ts", "jupyter.ts", "deno.json", "runtime/", "ops/", "types/"];

/** True in a package whose modules are compiled to JavaScript. */
const COMPILED = import.meta.url.endsWith(".js");

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
  const root = [TACHO_ROOT, linkUrl()].find((root) => root !== null && url.startsWith(root)) ?? null;
  if (root === null) return null;
  const path = withExtension(url.slice(root.length), ".js", ".ts");
  return PARTS.some((part) => part.endsWith("/") ? path.startsWith(part) : path === part) ? path : null;
}

/** Returns the URL by which another process imports a part of this copy of Tacho, given its path in the repository. */
export function partUrl(path: string): string {
  return new URL(withExtension(path, ".ts", ".js"), importRoot()).href;
}

/** Returns the URLs of the files and folders of this copy of Tacho. */
export function tachoFiles(): string[] {
  return PARTS.map((part) => partUrl(part));
}

/**
 * Returns the root of the URLs by which other processes import this copy of Tacho. Deno loads a module in its cache of npm
 * packages only for a process that resolves the package itself. For a package there, this is a link in Tacho's cache.
 */
export function importRoot(): string {
  const url = linkUrl();
  if (url === null) return TACHO_ROOT;
  const link = fileURLToPath(url).replace(/[/\\]$/, "");
  try {
    Deno.mkdirSync(dirname(link), { recursive: true });
    Deno.symlinkSync(fileURLToPath(TACHO_ROOT), link, { type: Deno.build.os === "windows" ? "junction" : "dir" });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  return url;
}

/** Returns the URL of an entry point, such as `./cli`, of a copy of Tacho. */
export function entryUrl(entry: keyof typeof config.exports, root: string = TACHO_ROOT): URL {
  return new URL(config.exports[entry], root);
}

/** Returns registry and name of a copy of Tacho that a package manager has installed: `npm:@tacho/tacho`; else null. */
export function packageOfCopy(root: string): string | null {
  if (new URL(root).hostname === "jsr.io") return `jsr:${config.name}`;
  return isInNpmCache(root) || root.includes("/node_modules/") ? `npm:${config.name}` : null;
}

/** Returns true for a copy in Deno's cache of npm packages: `npm/REGISTRY/@tacho/tacho/0.1.0/`. */
function isInNpmCache(root: string): boolean {
  return root.endsWith(`/${config.name}/${config.version}/`);
}

/** Returns the URL of the link to this copy, whether it exists or not; null for a copy that needs none. */
function linkUrl(): string | null {
  if (!isInNpmCache(TACHO_ROOT)) return null;
  const name = `${config.version}-${sha256(TACHO_ROOT).slice(0, 12)}`;
  return pathToFileURL(join(cacheFolder(), "packages", name)).href + "/";
}

function entryPath(entry: string | undefined): string | null {
  const exports: Readonly<Record<string, string>> = config.exports;
  const path = exports[entry === undefined ? "." : `./${entry}`]?.replace(/^\.\//, "");
  return path === undefined ? null : withExtension(path, ".js", ".ts");
}

function withExtension(path: string, from: string, to: string): string {
  return COMPILED && path.endsWith(from) ? `${path.slice(0, -from.length)}${to}` : path;
}

/** The part of a Deno configuration with which modules find packages. */
export interface TachoConfig {
  readonly imports: Readonly<Record<string, string>>;
  readonly nodeModulesDir: string;
  /** Empty, so that no configuration in a folder above has an effect: there, others may write. */
  readonly workspace: readonly [];
}

/** Returns the configuration with which Tacho's modules find their packages. */
export function tachoConfig(): TachoConfig {
  const { imports, nodeModulesDir } = config;
  return { imports, nodeModulesDir, workspace: [] };
}

/** Returns the entry points of this copy of Tacho by their names, such as `@tacho/tacho/cli`. */
export function entryPoints(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(config.exports).map(([entry, path]) => [config.name + entry.slice(1), partUrl(path)]),
  );
}

/** Returns the files and folders of a clone that make up Tacho, relative to its root. */
export function publishedPaths(): readonly string[] {
  return [...config.publish.include, "deno.lock"];
}

/** Reads Deno's lock file with the package versions that Tacho was tested with; an empty one if there is none. */
export async function tachoLock(): Promise<string> {
  return await fetch(new URL("deno.lock", TACHO_ROOT)).then((response) => response.text()).catch(() => "{}");
}
