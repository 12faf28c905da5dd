import { resolve } from "node:path";
import { environmentDifferences } from "../../analysis/environment_differences.ts";
import { findAdapter } from "../../device/adapter.ts";
import { describeEnvironment } from "../../experiment/environment.ts";
import { MISSING } from "../../report/format.ts";
import { wrap } from "../../report/wrap.ts";
import type { Environment } from "../../result/schema.ts";
import { dataChanges } from "./data_changes.ts";
import { flagValue } from "./experiment_args.ts";
import type { Recipe } from "./recipe.ts";

/** Prose is not set wider than this. */
const WIDTH = 100;

/** The environment that a recipe would run in now. */
export async function environmentNow({ args, spec }: Recipe): Promise<Environment> {
  const match = flagValue(args, "--adapter");
  const onDevice = spec.variants.some(({ config }) => config.model !== null);
  const adapter = onDevice ? await findAdapter(match === null ? {} : { match }) : null;
  return await describeEnvironment(adapter?.info ?? null);
}

/** Makes the folder that a recipe's relative paths are taken from the current one, where it is still there. */
export function enterFolder({ cwd }: Recipe): void {
  if (cwd === null) return;
  const store = Deno.env.get("TACHO_STORE");
  if (store) Deno.env.set("TACHO_STORE", resolve(store));
  try {
    Deno.chdir(cwd);
  } catch (error) {
    const gone = [Deno.errors.NotFound, Deno.errors.NotADirectory, Deno.errors.PermissionDenied];
    if (!gone.some((kind) => error instanceof kind)) throw error; // another machine's runs may be here
  }
}

/**
 * In what the setting of a second run in the current folder differs from that of the first: a line each.
 *
 * @param data folder of the data, where it is said anew
 */
export function settingText(recipe: Recipe, now: Environment, data: string | null = null): string {
  const differences = environmentDifferences(recipe.environment, now).map(({ what, then, now }) =>
    `${what}: ${then ?? MISSING} then, ${now ?? MISSING} now`
  );
  const cwd = Deno.cwd();
  const moved = recipe.cwd !== null && recipe.cwd !== cwd ? [`folder: ${recipe.cwd} is not there; run in ${cwd}`] : [];
  const lines = [...differences, ...dataChanges(recipe.spec, cwd, recipe.started, data), ...moved];
  const head = lines.length === 0
    ? `${recipe.where}: the environment is the same`
    : `${recipe.where}: not the same as then`;
  return [head, ...lines.flatMap((line) => wrap(`  ${line}`, WIDTH, 6))].join("\n") + "\n";
}
