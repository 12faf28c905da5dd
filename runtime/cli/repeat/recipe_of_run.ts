import { basename, relative } from "node:path";
import { InputError } from "../../core/errors.ts";
import { openStoreToRead, type Store } from "../../store/store.ts";
import type { Recipe } from "./recipe.ts";
import { storeFolder } from "../../store/folder.ts";
import { isRunName } from "../../store/run_name.ts";
import { readLock } from "./lock_file.ts";
import { isComparison } from "../versus/kept_comparison.ts";

/**
 * Returns the recipe of a kept run.
 *
 * @param name ID of the run, a part of it, or `last`
 * @throws {InputError} if there is no such run, or its script was not kept
 */
export function recipeOfRun(store: Store, name: string): Recipe {
  const id = store.resolve(name);
  const { script, modules, args, cwd, started, spec, environment } = store.run(id);
  if (script === null) throw withoutScript(store, id, "repeated");
  if (modules.length === 0) throw new InputError(`Run ${id} cannot be repeated: its script could not be kept`);
  const local = relative(cwd, script);
  const called = local.startsWith("..") ? script : local;
  return {
    where: `run ${id}`,
    trusted: environment.sandbox !== true,
    script: called === "" ? basename(script) : called,
    modules,
    args,
    cwd,
    started,
    spec,
    environment,
    pinned: null,
    result: store.result(id),
  };
}

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

/**
 * Returns the error for a run that has no script to run again: one of `measure()` or `bench()`, whose program may do more
 * than measure and pass other options on each call, or one of code that is not a file.
 *
 * @param action `repeated` or `resumed`
 */
export function withoutScript(store: Store, id: string, action: "repeated" | "resumed"): InputError {
  if (isComparison(store.run(id))) {
    return new InputError(
      `Run ${id} has no script: it compared programs. tacho repeat ${id} starts them again, and tacho show ${id} lists them`,
    );
  }
  const file = store.result(id)?.scenario.file ?? null;
  const origin = file === null
    ? "it came from measure(), bench() or code that is not a file, such as a notebook"
    : `it came from measure() or bench() in ${file}, which may do more than this measurement`;
  return new InputError(
    `Run ${id} cannot be ${action}: ${origin}. Run that code again with the same store, then compare: ` +
      `tacho compare ${id} last`,
  );
}
