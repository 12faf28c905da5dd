import { resolve } from "node:path";
import { TachoError } from "../../core/errors.ts";
import type { Result } from "../../result/schema.ts";
import { storeFolder } from "../../store/folder.ts";
import { statusOf } from "../../store/records.ts";
import { openStore } from "../../store/store.ts";
import type { Recipe } from "../repeat/recipe.ts";
import type { Flags } from "../flags.ts";
import { warn } from "../terminal.ts";

/**
 * Keeps the result of a sandboxed run, with the modules of its recipe. Returns a line that says so, or null if it is not
 * kept; a failure is a warning.
 */
export function keepResult(
  result: Result,
  { script, modules }: Pick<Recipe, "script" | "modules">,
  { store: named, args, started }: Pick<Flags, "store"> & { args: readonly string[]; started: number },
): string | null {
  if (named === false) return null;
  const { environment, scenario: { name, sha256, seed, adapted }, baseline } = result;
  const applied = adapted === null ? {} : { adapters: adapted.adapters };
  const variants = result.variants.map(({ name, config }) => ({ name, config }));
  try {
    using store = openStore(storeFolder(typeof named === "string" ? named : undefined));
    const run = store.begin({
      started,
      spec: { tacho: environment.tacho, scenario: name, sha256, seed, baseline, ...applied, variants },
      script: resolve(script),
      modules,
      args,
      cwd: Deno.cwd(),
      environment,
    });
    run.finish(result);
    const incomplete = statusOf(result) === "interrupted" ? ", incomplete" : "";
    return `kept as ${run.id}${incomplete} (tacho show ${run.id})`;
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    warn(`This run is not kept. ${error.message}`);
    return null;
  }
}
