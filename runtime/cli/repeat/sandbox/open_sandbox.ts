import { join, relative, resolve } from "node:path";
import { InputError } from "../../../core/errors.ts";
import { readText, writeFile } from "../../../core/files.ts";
import { printable } from "../../../core/printable.ts";
import { clipped } from "../../../core/shown.ts";
import { dataSchema, loadDatasets, prepareDataset } from "../../../data/sources/sources.ts";
import { fetchImports } from "../fetch_imports.ts";
import { inputFiles } from "../../../experiment/input_hashes.ts";
import { addressesIn, isPinned, packageOf, type Pinned, pinnedIn } from "../pinned.ts";
import type { Origin, Recipe } from "../recipe.ts";
import type { Workspace } from "../workspace.ts";
import { grantsOf } from "./grants.ts";
import type { Sandbox } from "./sandbox_process.ts";
import { z } from "zod";
import { fileURLToPath, pathToFileURL } from "node:url";
import { moduleGraph } from "../../../store/module_graph.ts";
import { partOfTacho } from "../../../store/tacho_files.ts";
import { checkPublic } from "./public_address.ts";

const infoSchema = z.looseObject({ npmCache: z.string(), modulesCache: z.string(), denoDir: z.string() });

/** Folders of Deno for a sandboxed process. */
interface DenoFolder {
  /** Value of `DENO_DIR`. */
  readonly folder: string;
  /** Folder of downloaded npm packages. */
  readonly packages: string;
}

/** The part of a recipe that says what a run reads. */
type Unstarted = Origin & Pick<Recipe, "pinned" | "spec">;

/** Data that the user has named. */
export interface NamedData {
  /** Folder of the data set, if it has moved; else null. */
  readonly data: string | null;
  /** Further files and folders that the script may read. */
  readonly readable: readonly string[];
}

/**
 * Prepares a sandbox for the script of a workspace, and checks its imports.
 *
 * @throws {InputError} if an import is not allowed
 */
export async function openSandbox(
  workspace: Workspace,
  { where, pinned }: Pick<Recipe, "pinned"> & Origin,
  data: NamedData,
): Promise<Sandbox> {
  const hosts = await checkImports(workspace, where, pinned);
  const { folder, packages } = await createDenoFolder(workspace.folder);
  const copy = ["modules", "handoff.json"].map((name) => join(workspace.folder, name));
  return { grants: grantsOf({ copy, packages, data: pathsOf(data), hosts }), denoFolder: folder };
}

/**
 * Prepares what the script's process may only read: checks that its data is in files that the user has named, downloads
 * what it imports, and draws generated data.
 *
 * @throws {InputError} if the data is elsewhere, or an import cannot be downloaded or has another hash
 */
export async function prepareInputs(
  workspace: Workspace,
  { grants: { hosts } }: Pick<Sandbox, "grants">,
  recipe: Unstarted,
  named: NamedData,
): Promise<void> {
  checkFiles(recipe, pathsOf(named), named.data !== null);
  if (recipe.pinned !== null) await fetchPinned(workspace, hosts, recipe.where);
  for (const { config: { data } } of recipe.spec.variants) {
    // A record of another version is reported by the script
    const parsed = dataSchema.safeParse(data);
    if (!parsed.success) continue;
    await loadDatasets([parsed.data]);
    await prepareDataset(parsed.data);
  }
}

function pathsOf({ data, readable }: NamedData): string[] {
  return [...data === null ? [] : [data], ...readable].map((path) => resolve(path));
}

/**
 * Checks that the user has named every file and folder that the settings read: a lock file must not choose what its own
 * script may read.
 */
function checkFiles(
  { spec: { variants }, where }: Unstarted,
  named: readonly string[],
  moved: boolean,
): void {
  for (const { config } of variants) {
    for (const path of inputFiles(config)) {
      const replaced = moved && path === config.data?.dir;
      if (replaced || named.some((folder) => isInside(folder, resolve(path)))) continue;
      const shown = printable(clipped(path, 200));
      throw new InputError(
        `${where}: reads its data from ${shown}, and the sandbox reads only what you name: add --read ${shown}, or ` +
          "--data DIR if the data is elsewhere",
      );
    }
  }
}

/** Downloads what a script imports from pinned hosts, and checks that this imports nothing that is not pinned. */
async function fetchPinned(workspace: Workspace, hosts: readonly string[], where: string): Promise<void> {
  const own = { known: hosts, check: (host: string) => Promise.reject(notPinned(where, host)) };
  const addresses = ({ specifiers, remote }: Pinned) => [...Object.keys(specifiers), ...Object.keys(remote)];
  const known = new Set(addresses(pinnedIn(readText(workspace.packages))));
  const other = addresses(await fetchImports(workspace, where, own)).find((address) => !known.has(address));
  if (other !== undefined) throw notPinned(where, other);
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !/^\.\.[/\\]/.test(way) && resolve(folder, way) === path;
}

/**
 * Creates a folder for `DENO_DIR` in which a process finds downloaded packages and compiled modules, but can keep nothing.
 * Deno lets every process write to `caches` and `localStorage`, whatever its permissions; they need a folder, and find a
 * file instead.
 *
 * @param parent folder to create it in
 */
async function createDenoFolder(parent: string): Promise<DenoFolder> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-config"],
    cwd: parent,
    env: { DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stderr: "null",
  }).output();
  const { npmCache, modulesCache, denoDir } = infoSchema.parse(JSON.parse(new TextDecoder().decode(stdout)));
  const folder = join(parent, "deno");
  await Deno.mkdir(folder);
  writeFile(join(folder, "location_data"), "");
  const type = Deno.build.os === "windows" ? "junction" : "dir";
  const links = [["npm", npmCache], ["remote", modulesCache], ["gen", join(denoDir, "gen")]] as const;
  for (const [name, target] of links) {
    await Deno.mkdir(target, { recursive: true });
    await Deno.symlink(target, join(folder, name), { type });
  }
  return { folder, packages: await Deno.realPath(npmCache) };
}

/**
 * Checks what the script of a workspace imports, since Deno loads static imports without a permission: JSON and text files
 * too, from anywhere on the disk.
 *
 * @param where origin of the script, for messages
 * @param pinned hashes of imports from the network
 * @returns the hosts of imports from the network, which are pinned by their hashes
 * @throws {InputError} if an import is neither a copy in the workspace, nor part of Tacho, nor pinned, or on a host that is
 *   not public
 */
async function checkImports(workspace: Workspace, where: string, pinned: Pinned | null): Promise<string[]> {
  const { folder, config, script, tachoPackages } = workspace;
  const copies = pathToFileURL(join(folder, "modules")).href + "/";
  const graph = await moduleGraph([pathToFileURL(script).href], ["--config", config, "--no-remote", "--no-npm"]);
  for (const { url, imports } of graph) {
    if (partOfTacho(url) !== null) continue;
    for (const { url: target } of imports) {
      if (target.startsWith(copies) || partOfTacho(target) !== null || target.startsWith("node:")) continue;
      if (tachoPackages.includes(packageOf(target)) || (pinned !== null && isPinned(target, pinned))) continue;
      if (/^(npm|jsr|https?):/.test(target)) throw notPinned(where, target);
      const name = printable(clipped(target.startsWith("file:") ? fileURLToPath(target) : target, 200));
      throw new InputError(
        `${where}: imports ${name}, which the sandbox does not allow; expected its own modules, Tacho and packages`,
      );
    }
  }
  if (pinned === null) return [];
  for (const address of addressesIn(pinned)) if (!isPackage(address)) await checkPublic(address, where);
  const packages = Object.keys(pinned.jsr).length === 0 ? [] : ["jsr.io:443"];
  const modules = addressesIn({ ...pinned, npm: {} }).filter((address) => !isPackage(address));
  return [...new Set([...packages, ...modules.map(hostOf)])];
}

function isPackage(address: string): boolean {
  return /^(npm|jsr):/.test(address);
}

/** Returns the error for an import from the network that is not pinned by a hash. */
function notPinned(where: string, target: string): InputError {
  const name = printable(clipped(target, 200));
  return new InputError(
    `${where}: imports ${name}, whose hash is not in it; write the lock file again, or use --trust`,
  );
}

/** Returns host and port, the form in which Deno permits imports, of a public address. */
function hostOf(url: string): string {
  return `${new URL(url).hostname}:443`;
}
