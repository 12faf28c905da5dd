import { ExitStatus } from "../../core/errors.ts";
import { stdoutIsData } from "../json_output.ts";
import { restrictedBy, type SandboxChoice } from "./sandbox/choice.ts";
import { grantText, trustText } from "./sandbox/grants.ts";
import { openSandbox, prepareInputs } from "./sandbox/open_sandbox.ts";
import { onlyPrints, runInSandbox } from "./sandbox/sandboxed_run.ts";
import { writeError, writeOut } from "../terminal.ts";
import { conclude } from "./conclude.ts";
import { flagValue, recipeArgs, withAbsolutePaths } from "./experiment_args.ts";
import type { Recipe } from "./recipe.ts";
import { runWorkspace } from "./run_workspace.ts";
import { enterFolder, environmentNow, settingText } from "./setting.ts";
import { openWorkspace } from "./workspace.ts";

export interface RepeatOptions extends SandboxChoice {
  /** Additional flags for the script. */
  readonly args: readonly string[];
  readonly color: boolean;
}

/**
 * Runs an experiment again: prints the differences of the environment, runs the stored script, and compares the results
 * with those of the first run.
 *
 * @returns the exit status: 0 if the results agree, 1 if they do not, else that of the script
 * @throws {InputError} if the stored script is damaged
 */
export async function repeat(recipe: Recipe, { args, color, ...choice }: RepeatOptions): Promise<number> {
  const more = withAbsolutePaths(args, Deno.cwd());
  const restricted = restrictedBy(choice, recipe);
  enterFolder(recipe);
  using workspace = await openWorkspace(recipe.modules, recipe.where, recipe.pinned);
  const environment = { ...await environmentNow(recipe, restricted === null), lockHash: workspace.lockHash };
  const json = flagValue(args, "--json") ?? undefined;
  const say = stdoutIsData({ json, jsonLines: args.includes("--json-lines") }) ? writeError : writeOut;
  const data = flagValue(more, "--data");
  const named = restricted === null ? null : { ...restricted, data };
  const sandbox = named === null ? null : await openSandbox(workspace, recipe, named);
  say(`${sandbox === null ? trustText(recipe.where) : grantText(recipe.where, sandbox.grants)}\n`);
  if (sandbox !== null && named !== null) await prepareInputs(workspace, sandbox, recipe, named);
  say(`${settingText(recipe, environment, data)}\n`);
  const all = [...recipeArgs(recipe, more), ...more];
  const { status, result } = sandbox === null
    ? await runWorkspace(workspace, { args: all, file: recipe.script, quiet: false })
    : await runInSandbox(workspace, sandbox, recipe, { args: all, environment, quiet: false });
  if (result === null) return onlyPrints(all) ? status : status || ExitStatus.gateFailed;
  return conclude(recipe, { status, result }, { say, color });
}
