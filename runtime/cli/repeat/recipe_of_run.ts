import { basename, relative } from "node:path";
import { InputError } from "../../core/errors.ts";
import type { Store } from "../../store/store.ts";
import type { Recipe } from "./recipe.ts";
import { withoutScript } from "./without_script.ts";

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
