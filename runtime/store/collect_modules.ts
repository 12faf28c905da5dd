import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InputError } from "../core/errors.ts";
import { isFile, readFile } from "../core/files.ts";
import { moduleUrl } from "../data/module_info.ts";
import { modulesOf } from "../data/sources/sources.ts";
import { type GraphModule, moduleGraph } from "./module_graph.ts";
import { type ModuleSource, TACHO } from "./module_source.ts";
import { projectOf } from "./project_folder.ts";
import { openProject } from "./script_project.ts";
import { partOfTacho } from "./tacho_files.ts";
import { sha256 } from "../core/sha256.ts";

/** Matches `new URL("./worker.ts", import.meta.url)` and `import.meta.resolve("./samples.ts")` with a literal. */
const MENTION =
  /\bnew\s+URL\(\s*(["'`])(\.{1,2}\/[^"'`$]+)\1\s*,\s*import\.meta\.url\s*\)|\bimport\.meta\.resolve\(\s*(["'`])(\.{1,2}\/[^"'`$]+)\3\s*\)/g;

/** Maximum size in bytes; larger files are data, not modules. */
const LARGEST = 2 ** 20;

/**
 * Collects the script and the local modules that it imports, directly or indirectly, without those of Tacho and of
 * packages. Text files named as `new URL("./file", import.meta.url)` or `import.meta.resolve("./file")` count as imported.
 * The work happens in another process (about 0.1 s) and does not block this thread.
 *
 * @param script path or `file:` URL
 * @param named modules named in settings, as in `source({ module })`; those that are not local files are ignored
 * @param offline true for a project of a stranger: Deno then downloads, installs and starts nothing that its files name
 * @throws {InputError} if the script is not a local file, or a module cannot be found or read
 */
export async function collectModules(
  script: string,
  named: readonly string[] = [],
  { offline = false }: { readonly offline?: boolean } = {},
): Promise<ModuleSource[]> {
  const start = moduleUrl(script);
  if (!start.startsWith("file:")) throw new InputError(`${script}: cannot be kept; expected a local file`);
  await using project = await openProject(fileURLToPath(start));
  const flags = [...project.configFlags, ...offline ? offlineFlags(dirname(fileURLToPath(start))) : []];
  const names = Map.groupBy(new Set(named).values().filter(isOwnFile), (name) => moduleUrl(name));
  const found = new Map<string, { module: GraphModule; bytes: Uint8Array<ArrayBuffer> }>();
  let entries = [start, ...names.keys()];
  while (entries.length > 0) {
    const [code, plain] = [entries.filter(isCode), entries.filter((url) => !isCode(url))];
    const graph = [
      ...await moduleGraph(code, flags),
      ...plain.map((url) => ({ url, problem: null, imports: [] })),
    ]
      .filter(({ url }) => isOwn(url) && !found.has(url));
    const broken = graph.find(({ problem }) => problem !== null);
    if (broken !== undefined) throw new InputError(`${fileURLToPath(broken.url)}: ${broken.problem}`);
    for (const module of graph) found.set(module.url, { module, bytes: read(module.url) });
    entries = graph.flatMap(({ url }) => mentionedFiles(url, found.get(url)!.bytes))
      .filter((url) => isOwn(url) && !found.has(url));
  }
  if (!found.has(start)) throw new InputError(`${script}: cannot be kept; it is part of Tacho or of a package`);
  const urls = [start, ...[...found.keys()].filter((url) => url !== start).sort()];
  const root = commonFolder(urls.map((url) => fileURLToPath(url)));
  const paths = new Map(urls.map((url) => [url, relative(root, fileURLToPath(url)).replaceAll(sep, "/")]));
  return urls.map((url) => {
    const { module, bytes } = found.get(url)!;
    return {
      path: paths.get(url)!,
      sha256: sha256(bytes),
      text: textOf(url, bytes),
      imports: mappedImports(module, paths),
      names: names.get(url) ?? [],
    };
  });
}

/** Returns the modules named in the settings of variants, for {@linkcode collectModules}. */
export function namedModules(configs: readonly { readonly data?: unknown }[]): string[] {
  return [...new Set(configs.flatMap(({ data }) => modulesOf(data)))];
}

/** Returns flags with which Deno resolves imports by local files alone: by installed packages, in a project of npm. */
function offlineFlags(folder: string): string[] {
  const project = projectOf(folder);
  const isNpm = project !== null && isFile(join(project, "package.json"));
  return ["--no-remote", isNpm ? "--node-modules-dir=manual" : "--no-npm"];
}

function isOwnFile(name: string): boolean {
  return isOwn(moduleUrl(name));
}

/** Returns true for the user's modules: local files outside Tacho and packages. */
function isOwn(url: string): boolean {
  if (!url.startsWith("file:") || url.includes("/node_modules/")) return false;
  return partOfTacho(url) === null;
}

/** Returns true if Deno can list the imports of a file. */
function isCode(url: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(url);
}

/** Returns the imports that specifiers and module paths alone do not resolve. */
function mappedImports({ imports }: GraphModule, paths: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(imports.flatMap(({ specifier, url }) => {
    const part = partOfTacho(url);
    if (part !== null) return [[specifier, TACHO + part]];
    const path = paths.get(url);
    if (path !== undefined) return /^\.{1,2}\//.test(specifier) ? [] : [[specifier, `./${path}`]];
    return url.startsWith("node:") ? [] : [[specifier, url]];
  }));
}

function read(url: string): Uint8Array<ArrayBuffer> {
  try {
    return readFile(new URL(url));
  } catch (cause) {
    throw new InputError(`${fileURLToPath(url)}: cannot be read (${(cause as Error).message})`, { cause });
  }
}

function textOf(url: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new InputError(`${fileURLToPath(url)}: cannot be kept with a run; expected UTF-8 text`, { cause });
  }
}

/** Returns the deepest folder that contains all files. */
function commonFolder(files: readonly string[]): string {
  let folder = dirname(resolve(files[0]!));
  while (!files.every((file) => inside(folder, file))) {
    const above = dirname(folder);
    if (above === folder) throw new InputError(`${files.join(", ")}: expected modules on one drive`);
    folder = above;
  }
  return folder;
}

function inside(folder: string, file: string): boolean {
  return pathToFileURL(file).href.startsWith(pathToFileURL(folder).href.replace(/\/?$/, "/"));
}

/** Returns the URLs of text files that a module names besides its imports, such as a worker or a list of classes. */
function mentionedFiles(url: string, source: Uint8Array): string[] {
  const text = new TextDecoder().decode(source);
  const mentioned = [...text.matchAll(MENTION)].map((match) => new URL(match[2] ?? match[4]!, url).href);
  return [...new Set(mentioned)].filter(isText);
}

function isText(url: string): boolean {
  try {
    const { isFile, size } = Deno.statSync(new URL(url));
    if (!isFile || size > LARGEST) return false;
    new TextDecoder("utf-8", { fatal: true }).decode(readFile(new URL(url)));
    return true;
  } catch (error) {
    if (error instanceof TypeError || error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
