import { storeFolder } from "../../store/folder.ts";
import { openStoreToRead } from "../../store/store.ts";
import { InputError } from "../../core/errors.ts";
import { readLock } from "./lock_file.ts";
import { recipeOfRun } from "./recipe_of_run.ts";
import type { Recipe } from "./recipe.ts";

/** Whether a name stands for a kept run and not for a file. */
export function isRunName(name: string): boolean {
  return /^[\w~]+$/.test(name);
}

/**
 * The experiment that a name stands for: that of a kept run, or of a lock file where it has a dot or a slash in it.
 *
 * @param folder of the store; the usual one when left out
 * @throws {InputError} if there is none, or it is damaged
 */
export async function findRecipe(name: string, folder: string | undefined): Promise<Recipe> {
  if (!isRunName(name)) return await readLock(name);
  using store = openStoreToRead(storeFolder(folder));
  if (store === null) throw new InputError(`Unknown run "${name}": no run is kept in ${storeFolder(folder)} yet`);
  return recipeOfRun(store, name);
}
