import { writeLock } from "./lock_file.ts";
import { pinImports } from "./pin_imports.ts";
import type { Recipe } from "./recipe.ts";

/**
 * Returns the text of a lock file for a recipe, with the hashes of what its modules import.
 *
 * @throws {InputError} if an import cannot be downloaded
 */
export async function lockText(recipe: Recipe): Promise<string> {
  return writeLock({
    ...recipe,
    pinned: recipe.pinned ?? await pinImports(recipe.modules, recipe.where, recipe.trusted),
  });
}
