import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InputError } from "../core/errors.ts";
import { moduleUrl } from "../data/module_info.ts";
import { modulesOf } from "../data/sources/sources.ts";
import { type GraphModule, moduleGraph } from "./module_graph.ts";
import { mentionedFiles } from "./mentioned_files.ts";
import { type ModuleSource, TACHO } from "./module_source.ts";
import { sha256 } from "./run_spec.ts";

const TACHO_ROOT = new URL("../../", import.meta.url).href;

/** What belongs to Tacho below its root; scripts and examples beside it are the user's. */
const TACHO_PARTS: readonly string[] = ["mod.ts", "deno.json", "runtime/", "ops/", "types/"];

/**
 * The script and the local modules that it imports, directly or not, without those of Tacho and of packages. Files that a
 * module names as `new URL("./file", import.meta.url)` or `import.meta.resolve("./file")` count as imported where they are
 * text. Takes a process of some 0.1 s and none of this thread's time meanwhile.
 *
 * @param script path or `file:` address
 * @param named modules that settings name, as `source({ module })` does; those that are no local files are left out
 * @throws {InputError} if the script is no local file, or a module cannot be found or read
 */
export async function collectModules(script: string, named: readonly string[] = []): Promise<ModuleSource[]> {
  const start = moduleUrl(script);
  if (!start.startsWith("file:")) throw new InputError(`${script}: only scripts that are local files can be kept`);
  const names = Map.groupBy(new Set(named).values().filter(isOwnFile), (name) => moduleUrl(name));
  const found = new Map<string, { module: GraphModule; bytes: Uint8Array<ArrayBuffer> }>();
  let entries = [start, ...names.keys()];
  while (entries.length > 0) {
    const [code, plain] = [entries.filter(isCode), entries.filter((url) => !isCode(url))];
    const graph = [...await moduleGraph(code), ...plain.map((url) => ({ url, problem: null, imports: [] }))]
      .filter(({ url }) => isOwn(url) && !found.has(url));
    const broken = graph.find(({ problem }) => problem !== null);
    if (broken !== undefined) throw new InputError(`${fileURLToPath(broken.url)}: ${broken.problem}`);
    for (const module of graph) found.set(module.url, { module, bytes: await read(module.url) });
    entries = (await Promise.all(graph.map(({ url }) => mentionedFiles(url, found.get(url)!.bytes)))).flat()
      .filter((url) => isOwn(url) && !found.has(url));
  }
  if (!found.has(start)) throw new InputError(`${script}: is a part of Tacho or of a package, and is not kept`);
  const urls = [start, ...[...found.keys()].filter((url) => url !== start).sort()];
  const root = commonFolder(urls.map((url) => fileURLToPath(url)));
  const paths = new Map(urls.map((url) => [url, relative(root, fileURLToPath(url)).replaceAll(sep, "/")]));
  return urls.map((url) => {
    const { module, bytes } = found.get(url)!;
    return {
      path: paths.get(url)!,
      sha256: sha256(bytes),
      text: textOf(url, bytes),
      imports: unspokenImports(module, paths),
      names: names.get(url) ?? [],
    };
  });
}

/** The modules that variants' settings name, for {@linkcode collectModules}. */
export function namedModules(configs: readonly { readonly data?: unknown }[]): string[] {
  return [...new Set(configs.flatMap(({ data }) => modulesOf(data)))];
}

function isOwnFile(name: string): boolean {
  return isOwn(moduleUrl(name));
}

/** Whether a module is the user's: a local file that is neither Tacho's nor a package's. */
function isOwn(url: string): boolean {
  if (!url.startsWith("file:") || url.includes("/node_modules/")) return false;
  return partOfTacho(url) === null;
}

/** Whether Deno can tell what a file imports. */
function isCode(url: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(url);
}

function partOfTacho(url: string): string | null {
  if (!url.startsWith(TACHO_ROOT)) return null;
  const path = url.slice(TACHO_ROOT.length);
  return TACHO_PARTS.some((part) => part.endsWith("/") ? path.startsWith(part) : path === part) ? path : null;
}

/** Imports that cannot be followed by their words and the modules' paths alone. */
function unspokenImports({ imports }: GraphModule, paths: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(imports.flatMap(({ specifier, url }) => {
    const part = partOfTacho(url);
    if (part !== null) return [[specifier, TACHO + part]];
    const path = paths.get(url);
    if (path !== undefined) return /^\.{1,2}\//.test(specifier) ? [] : [[specifier, `./${path}`]];
    return url.startsWith("node:") ? [] : [[specifier, url]];
  }));
}

async function read(url: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(new URL(url));
  } catch (cause) {
    throw new InputError(`${fileURLToPath(url)}: cannot be read (${(cause as Error).message})`, { cause });
  }
}

function textOf(url: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new InputError(`${fileURLToPath(url)}: is imported and is no text, which cannot be kept with a run`, {
      cause,
    });
  }
}

/** The deepest folder that holds all files. */
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
