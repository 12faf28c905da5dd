import { storeFolder } from "../../store/folder.ts";
import { isRunName } from "../../store/run_name.ts";
import { openStoreToRead } from "../../store/store.ts";
import { InputError } from "../../core/errors.ts";
import { readLock } from "./lock_file.ts";
import { recipeOfRun } from "./recipe_of_run.ts";
import type { Recipe } from "./recipe.ts";

/**
 * Resolves a run ID or lock file to its experiment. A name with a dot or a slash is a lock file.
 *
 * @param folder folder of the store, if not the default
 * @throws {InputError} if there is no such run or file, or it is damaged
 */
export function findRecipe(name: string, folder: string | undefined): Recipe {
  if (!isRunName(name)) return readLock(name);
  using store = openStoreToRead(storeFolder(folder));
  if (store === null) throw new InputError(`Unknown run "${name}": no runs are kept in ${storeFolder(folder)} yet`);
  return recipeOfRun(store, name);
}
