/**
 * Bundles: folders with a script, Tacho, Deno and all packages, for machines without a network.
 *
 * @module
 */
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InputError } from "../../core/errors.ts";
import { writeFile } from "../../core/files.ts";
import { collectModules } from "../../store/collect_modules.ts";
import type { ModuleSource } from "../../store/module_source.ts";
import { importRoot, partUrl, publishedPaths, TACHO_ROOT, tachoConfig, tachoLock } from "../../store/tacho_files.ts";
import { importMapOf } from "../repeat/import_map.ts";
import { checkModules } from "../repeat/module_paths.ts";
import { copyTree, fillCache } from "./deno_cache.ts";
import { shellWord } from "../../core/shell_word.ts";

/** File name of the Vulkan loader, through which Deno finds the drivers on Linux. */
const LOADER = "libvulkan.so.1";

/** Folders of libraries on common distributions. */
const FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];

/** Folder of Tacho in a bundle. */
const TACHO_FOLDER = "lib/tacho";

/** A bundle that was written. */
export interface Bundle {
  readonly folder: string;
  /** Size in bytes. */
  readonly size: number;
  /** False if this machine has no Vulkan loader to add. */
  readonly hasLoader: boolean;
}

/**
 * Writes a bundle of a script. It does not refer to its own place, so that it can be moved and copied.
 *
 * @param folder folder to write; it must not exist, or be empty
 * @throws {InputError} if the script has imports that cannot be bundled, or the folder cannot be written
 */
export async function writeBundle(script: string, folder: string): Promise<Bundle> {
  if (!TACHO_ROOT.startsWith("file:")) {
    throw new InputError("tacho bundle: this Tacho runs from the network; use a clone, or the npm package");
  }
  const modules = await collectModules(script);
  checkModules(modules, script);
  await makeFolder(folder);
  const home = join(folder, ...homeOf(modules));
  for (const { path, text } of modules) await write(join(home, ...path.split("/")), text);
  await copyTacho(join(folder, TACHO_FOLDER));
  await write(join(folder, "deno.json"), `${JSON.stringify(configOf(modules, home, folder), null, 2)}\n`);
  await write(join(folder, "deno.lock"), await tachoLock());
  const main = relative(folder, join(home, ...modules[0]!.path.split("/")));
  const cli = join(TACHO_FOLDER, relative(fileURLToPath(importRoot()), fileURLToPath(partUrl("scripts/tacho.ts"))));
  const lock = join(folder, "deno.lock");
  const entries = [main, cli].map((path) => join(folder, path));
  await fillCache({ cache: join(folder, "cache"), config: join(folder, "deno.json"), lock, entries });
  await copyTree(Deno.execPath(), join(folder, "bin", "deno"));
  const loader = await findVulkanLoader();
  if (loader !== null) await copyTree(loader, join(folder, "lib", "vulkan", "libvulkan.so.1"));
  await write(join(folder, "environment.sh"), environmentLines());
  await write(join(folder, "run"), launcher(main, "Runs the script of this bundle with the settings and flags"), 0o755);
  await write(join(folder, "tacho"), launcher(cli, "Runs the tacho command of this bundle"), 0o755);
  return { folder, size: await sizeOf(folder), hasLoader: loader !== null };
}

/** Returns the launcher of the bundle that this process runs from; null outside a bundle. */
export function ownLauncher(): string | null {
  if (!TACHO_ROOT.startsWith("file:")) return null;
  const root = fileURLToPath(TACHO_ROOT).replace(/[/\\]$/, "");
  const bundle = dirname(dirname(root));
  if (join(bundle, TACHO_FOLDER) !== root) return null;
  const file = join(bundle, "tacho");
  try {
    return Deno.statSync(join(bundle, "environment.sh")).isFile && Deno.statSync(file).isFile ? file : null;
  } catch {
    return null;
  }
}

/**
 * Returns the folder of the script's modules in the bundle, as parts of its path: deep enough that relative imports of Tacho
 * stay in the bundle, where the import map has them.
 */
function homeOf(modules: readonly ModuleSource[]): string[] {
  const outside = modules.flatMap(({ path, imports }) =>
    Object.keys(imports).map((specifier) => specifier.split("/").lastIndexOf("..") + 1 - (path.split("/").length - 1))
  );
  return ["script", ...Array<string>(Math.max(0, Math.max(0, ...outside) - 1)).fill("project")];
}

/** Returns Deno's configuration of the bundle, with paths relative to it. */
function configOf(modules: readonly ModuleSource[], home: string, folder: string) {
  const tacho = tachoConfig();
  const { imports, scopes } = importMapOf(modules, home);
  const bundle = `${pathToFileURL(folder).href}/`;
  const relativeTo = (url: string) =>
    url.startsWith(importRoot())
      ? `./${TACHO_FOLDER}/${url.slice(importRoot().length)}`
      : url.startsWith(bundle)
      ? `./${url.slice(bundle.length)}`
      : url;
  const mapped = (entries: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(entries).map(([key, url]) => [relativeTo(key), relativeTo(url)]));
  return {
    ...tacho,
    imports: { ...tacho.imports, ...mapped(imports) },
    scopes: Object.fromEntries(Object.entries(scopes).map(([url, entries]) => [relativeTo(url), mapped(entries)])),
  };
}

/** Copies this Tacho: what a clone publishes, or a whole package. */
async function copyTacho(to: string): Promise<void> {
  const root = fileURLToPath(TACHO_ROOT);
  if (!import.meta.url.endsWith(".ts")) return await copyTree(root, to);
  for (const path of publishedPaths()) {
    const parts = path.split("/").filter((part) => part !== "");
    await copyTree(join(root, ...parts), join(to, ...parts));
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    for await (const { name } of Deno.readDir(folder)) {
      throw new InputError(`--out: ${folder} is not empty (${name}); remove it, or choose another folder`);
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`--out: ${folder} cannot be made (${(error as Error).message})`, { cause: error });
  }
}

async function write(path: string, text: string, mode = 0o644): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  writeFile(path, text, { write: true, create: true, truncate: true, mode });
}

async function sizeOf(path: string): Promise<number> {
  const { isDirectory, size } = await Deno.lstat(path);
  if (!isDirectory) return size;
  let total = 0;
  for await (const { name } of Deno.readDir(path)) total += await sizeOf(join(path, name));
  return total;
}

/** Returns the path of this machine's Vulkan loader, without links; null if there is none, and outside Linux. */
async function findVulkanLoader(): Promise<string | null> {
  if (Deno.build.os !== "linux") return null;
  const own = (Deno.env.get("LD_LIBRARY_PATH") ?? "").split(":").filter((folder) => folder !== "");
  for (const path of [...own, ...FOLDERS].map((folder) => `${folder}/${LOADER}`)) {
    try {
      return await Deno.realPath(path);
    } catch {
      // not there
    }
  }
  return null;
}

/** Flags of Deno in a bundle: nothing is read from the network. */
const FLAGS = '-q --cached-only -A --config "$bundle/deno.json" --lock "$bundle/deno.lock"';

/**
 * Returns the shell lines that set up the environment of a bundle, for its launchers. Deno writes databases to its cache
 * folder, which may be on a network file system here: it gets a local one with links to the files of the bundle.
 */
function environmentLines(): string {
  return `# Environment of this bundle; read by run and tacho, which set "bundle"
if [ "$(uname -sm)" != ${shellWord(systemName())} ]; then
  echo "This bundle is for ${systemName()}, and this machine is $(uname -sm)" >&2
  exit 3
fi
key=$(printf %s "$bundle" | cksum | cut -d ' ' -f 1)
DENO_DIR=\${TMPDIR:-/tmp}/tacho-bundle-$(id -u)-$key
(umask 077 && mkdir -p "$DENO_DIR") || exit 2
if [ ! -O "$DENO_DIR" ]; then
  echo "$DENO_DIR belongs to another user; set another folder with TMPDIR" >&2
  exit 2
fi
for part in npm remote gen; do
  if [ ! -e "$DENO_DIR/$part" ]; then ln -sfn "$bundle/cache/$part" "$DENO_DIR/$part"; fi
done
DENO_NO_UPDATE_CHECK=1
NPM_CONFIG_REGISTRY=https://registry.npmjs.org/
export DENO_DIR DENO_NO_UPDATE_CHECK NPM_CONFIG_REGISTRY
# The node's own Vulkan loader comes first, if it has one
if ! { PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q 'libvulkan\\.so\\.1'; }; then
  LD_LIBRARY_PATH=\${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$bundle/lib/vulkan
  export LD_LIBRARY_PATH
fi
`;
}

/**
 * Returns a launcher of a bundle, which runs one of its modules with the arguments of the user.
 *
 * @param module path of the module in the bundle
 * @param what the command, for its comment
 */
function launcher(module: string, what: string): string {
  return `#!/bin/sh
# ${what}
bundle=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P) || exit 2
. "$bundle/environment.sh"
exec "$bundle/bin/deno" run ${FLAGS} "$bundle/"${shellWord(module)} "$@"
`;
}

/** Returns this system as `uname -sm` prints it. */
function systemName(): string {
  const systems: Partial<Record<typeof Deno.build.os, string>> = { linux: "Linux", darwin: "Darwin" };
  const arm = Deno.build.os === "darwin" ? "arm64" : "aarch64";
  return `${systems[Deno.build.os] ?? Deno.build.os} ${Deno.build.arch === "aarch64" ? arm : Deno.build.arch}`;
}
