import { join, relative, resolve } from "node:path";
import { InputError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { clipped } from "../../core/shown.ts";
import { dataSchema, filesOf, prepareDataset } from "../../data/sources/sources.ts";
import type { Recipe } from "../repeat/recipe.ts";
import type { Workspace } from "../repeat/workspace.ts";
import { checkImports } from "./check_imports.ts";
import { createDenoFolder } from "./deno_folder.ts";
import { grantsOf } from "./grants.ts";
import type { Sandbox } from "./sandbox_process.ts";

/**
 * Prepares a sandbox for the script of a recipe: checks its imports and its data, and draws generated data, which the
 * script's process may only read.
 *
 * @param data folder of the data that the user has named; null if it has not moved
 * @param readable further files and folders that the user lets the script read
 * @throws {InputError} if an import is not allowed, or the data is in a folder that the user has not named
 */
export async function openSandbox(
  workspace: Workspace,
  recipe: Recipe,
  { data, readable }: { readonly data: string | null; readonly readable: readonly string[] },
): Promise<Sandbox> {
  await checkImports(workspace, recipe.where);
  const named = [...data === null ? [] : [data], ...readable].map((path) => resolve(path));
  checkFiles(recipe, named, data !== null);
  await prepareData(recipe);
  const { folder, packages } = await createDenoFolder(workspace.folder);
  const copy = ["modules", "handoff.json", "deno.lock"].map((name) => join(workspace.folder, name));
  return { grants: grantsOf({ copy, packages, data: named }), denoFolder: folder };
}

/**
 * Checks that the user has named every file and folder that the settings read: a lock file must not choose what its own
 * script may read.
 */
function checkFiles({ spec: { variants }, where }: Recipe, named: readonly string[], moved: boolean): void {
  for (const { config: { data } } of variants) {
    for (const path of filesOf(data)) {
      const replaced = moved && path === (data as { dir?: unknown }).dir;
      if (replaced || named.some((folder) => isInside(folder, resolve(path)))) continue;
      const shown = printable(clipped(path, 200));
      throw new InputError(
        `${where}: reads its data from ${shown}, and the sandbox reads only what you name: add --read ${shown}, or ` +
          "--data DIR if the data is elsewhere",
      );
    }
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !/^\.\.[/\\]/.test(way) && resolve(folder, way) === path;
}

async function prepareData({ spec: { variants } }: Recipe): Promise<void> {
  for (const { config: { data } } of variants) {
    // A record of another version is reported by the script
    const parsed = dataSchema.safeParse(data);
    if (parsed.success) await prepareDataset(parsed.data);
  }
}
