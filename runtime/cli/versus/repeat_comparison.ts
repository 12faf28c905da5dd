import { ExitStatus } from "../../core/errors.ts";
import { stdoutIsData } from "../json_output.ts";
import { conclude } from "../repeat/conclude.ts";
import { flagValue, withAbsolutePaths } from "../repeat/experiment_args.ts";
import type { Recipe } from "../repeat/recipe.ts";
import { enterFolder, environmentNow, settingText } from "../repeat/setting.ts";
import { writeError, writeOut } from "../terminal.ts";
import { comparePrograms } from "./compare_programs.ts";
import { type KeptComparison, VERSUS } from "./kept_comparison.ts";

/**
 * Starts the programs of a kept comparison again, in the folder and with the flags of the first time, and compares the
 * results.
 *
 * @param more additional flags
 * @returns 0 if the results agree, 1 if they do not, else the status of the comparison
 */
export async function repeatComparison(
  { run, result }: KeptComparison,
  { more, color }: { readonly more: readonly string[]; readonly color: boolean },
): Promise<number> {
  const { id, args, cwd, started, spec, environment } = run;
  const recipe: Recipe = {
    ...{ where: `run ${id}`, trusted: true, script: `tacho ${VERSUS}`, modules: [], pinned: null },
    ...{ args: args.slice(1), cwd, started, spec, environment, result },
  };
  const own = withAbsolutePaths(more, Deno.cwd());
  const say = stdoutIsData({ json: flagValue(own, "--json") ?? undefined }) ? writeError : writeOut;
  enterFolder(recipe);
  say(`${settingText(recipe, await environmentNow(recipe, true))}\n`);
  const again = await comparePrograms([...recipe.args, ...own]);
  if (again.result === null) return again.status;
  if (again.status === ExitStatus.interrupted) return again.status;
  return conclude(recipe, { status: again.status, result: again.result }, { say, color });
}
