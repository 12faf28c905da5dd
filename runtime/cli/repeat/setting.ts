import { join, resolve } from "node:path";
import { environmentDifferences } from "../../analysis/environment_differences.ts";
import { findAdapter } from "../../device/adapter.ts";
import { describeEnvironment } from "../../experiment/environment.ts";
import { MISSING } from "../../report/format.ts";
import { PROGRAM_MODE } from "../../report/own_loop.ts";
import { wrap } from "../../report/wrap.ts";
import type { Environment } from "../../result/schema.ts";
import { PROSE_WIDTH } from "../terminal.ts";
import { flagValue } from "./experiment_args.ts";
import type { Recipe } from "./recipe.ts";
import type { RunSpec } from "../../store/run_spec.ts";
import { inputFiles } from "../../experiment/input_hashes.ts";

/**
 * Describes the environment in which a recipe would run now.
 *
 * @param trusted false if its script runs in a sandbox
 */
export async function environmentNow(
  { args, spec, environment }: Pick<Recipe, "args" | "spec" | "environment">,
  trusted: boolean,
): Promise<Environment> {
  const match = flagValue(args, "--adapter");
  const onDevice = spec.variants.some(({ config }) => config.model !== null);
  const programs = spec.variants.some(({ config }) => config.mode === PROGRAM_MODE);
  const adapter = onDevice || programs ? await findAdapter(match === null ? {} : { match }) : null;
  const now = await describeEnvironment(adapter?.info ?? null, { changes: trusted });
  if (onDevice || now.adapter === null || environment.adapter === null) return now;
  // Programs choose the features and limits of their devices
  const { features, limits } = environment.adapter;
  return { ...now, adapter: { ...now.adapter, features, limits } };
}

/** Changes to the folder of a recipe's relative paths, if it still exists. */
export function enterFolder({ cwd }: Recipe): void {
  if (cwd === null) return;
  const store = Deno.env.get("TACHO_STORE");
  if (store) Deno.env.set("TACHO_STORE", resolve(store));
  try {
    Deno.chdir(cwd);
  } catch (error) {
    const gone = [Deno.errors.NotFound, Deno.errors.NotADirectory, Deno.errors.PermissionDenied];
    if (!gone.some((kind) => error instanceof kind)) throw error; // the recipe may be from another machine
  }
}

/**
 * Renders the differences of environment, data and folder between the first run and one that starts now, one line each.
 *
 * @param data folder of the data, if it is given again
 */
export function settingText(recipe: Recipe, now: Environment, data: string | null = null): string {
  const differences = environmentDifferences(recipe.environment, now).map(({ what, then, now }) =>
    `${what}: ${then ?? MISSING} then, ${now ?? MISSING} now`
  );
  const cwd = Deno.cwd();
  const moved = recipe.cwd !== null && recipe.cwd !== cwd ? [`folder: ${recipe.cwd} not found; running in ${cwd}`] : [];
  const lines = [...differences, ...dataChanges(recipe.spec, cwd, recipe.started, data), ...moved];
  const head = lines.length === 0
    ? `${recipe.where}: the environment is the same`
    : `${recipe.where}: the environment differs`;
  return [head, ...lines.flatMap((line) => wrap(`  ${line}`, PROSE_WIDTH, 6))].join("\n") + "\n";
}

/** Maximum number of files to check in a folder. */
const MAX_FILES = 10_000;

/**
 * Lists changes of the data since a run, one line each: another folder, a missing one, or files written later. Does not
 * compare contents.
 *
 * @param cwd base of relative paths
 * @param since time in ms since 1970
 * @param moved new folder of the data, if it has moved
 */
export function dataChanges({ variants }: RunSpec, cwd: string, since: number, moved: string | null = null): string[] {
  const lines = variants.flatMap(({ config }) =>
    inputFiles(config).flatMap((path) => {
      const replaced = moved !== null && path === config.data?.dir;
      if (replaced && resolve(cwd, path) !== moved) return [`data: in ${path} then, in ${moved} now`];
      const found = lookAt(resolve(cwd, path), since);
      return found === null ? [] : [`data in ${path}: ${found}`];
    })
  );
  return [...new Set(lines)];
}

function lookAt(folder: string, since: number): string | null {
  const left = [folder];
  try {
    for (let seen = 0; left.length > 0 && seen < MAX_FILES; seen++) {
      const path = left.pop()!;
      const { isDirectory, mtime } = Deno.statSync(path);
      if (isDirectory) left.push(...[...Deno.readDirSync(path)].map(({ name }) => join(path, name)));
      else if (mtime !== null && mtime.getTime() > since) return "has files written since then";
    }
    return null;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "not found" : `cannot be read (${(error as Error).message})`;
  }
}
