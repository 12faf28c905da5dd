import { stdoutIsData } from "../json_output.ts";
import { conclude } from "../repeat/conclude.ts";
import { flagValue, recipeArgs, withAbsolutePaths } from "../repeat/experiment_args.ts";
import type { Recipe } from "../repeat/recipe.ts";
import { enterFolder, environmentNow, settingText } from "../repeat/setting.ts";
import { writeError, writeOut } from "../terminal.ts";
import { comparePrograms } from "../versus/compare_programs.ts";
import { resolve } from "node:path";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { runOf } from "../parse_command.ts";
import { findRecipe } from "../repeat/recipe_of_run.ts";
import { READ, restrictedBy, SANDBOX, type SandboxChoice, TRUST } from "../repeat/sandbox/choice.ts";
import { type KeptComparison, keptComparison, VERSUS } from "../versus/kept_comparison.ts";
import { createCommand } from "./command.ts";
import { grantText, trustText } from "../repeat/sandbox/grants.ts";
import { openSandbox, prepareInputs } from "../repeat/sandbox/open_sandbox.ts";
import { onlyPrints, runInSandbox } from "../repeat/sandbox/sandboxed_run.ts";
import { runWorkspace } from "../repeat/run_workspace.ts";
import { openWorkspace } from "../repeat/workspace.ts";

export const define = () =>
  createCommand({
    name: "repeat",
    description:
      "Runs a kept run or the experiment of a lock file again, with the original script, imports and settings. Prints the " +
      "differences of the environment first, and at the end whether the results agree: status 0 if they do, 1 if not. " +
      "The script of a lock file runs in a sandbox: it reads Tacho, packages and the data you name, and has no other " +
      "permission. Your own kept runs run as they did, with all permissions. The programs of a kept `tacho versus` are " +
      "started again.",
    examples: [
      ["tacho repeat last", "repeat the last run"],
      ["tacho repeat k3f2", "repeat a run by its ID, or a part of it"],
      ["tacho repeat resnet.lock.json", "repeat an experiment from a lock file"],
      ["tacho repeat k3f2 --rounds 16", "add flags for the script"],
      ["tacho repeat resnet.lock.json --read data", "let its script read a folder"],
      ["tacho repeat resnet.lock.json --trust", "run it with all permissions"],
    ],
  })
    .argument("<run>", "ID of a run, a part of it, last, or a lock file")
    .argument("[args...]", "additional flags and settings for the script")
    .addOption(SANDBOX)
    .addOption(TRUST)
    .addOption(READ)
    .allowUnknownOption();

/** Runs a kept run or a lock file again. */
export const run = runOf(define, async ({ store, color, sandbox, trust, read }, _args, command) => {
  const [name = "", ...more] = command.args;
  const comparison = keptComparison(name, store);
  const own = [...store === undefined ? [] : [`--store=${store}`], ...color ? [] : ["--no-color"]];
  if (comparison !== null && (sandbox || read.length > 0)) {
    throw new InputError(
      `repeat ${name}: it starts programs, which no sandbox restricts; omit --${
        sandbox ? "sandbox" : "read"
      } only if you ` +
        "trust them",
    );
  }
  if (comparison !== null) return await repeatComparison(comparison, { more: [...own, ...more], color });
  return await repeat(findRecipe(name, store), {
    args: [...own, ...more],
    color,
    sandbox,
    trust,
    readable: read.map((path) => resolve(path)),
  });
});

/**
 * Starts the programs of a kept comparison again, in the folder and with the flags of the first time, and compares the
 * results.
 *
 * @param more additional flags
 * @returns 0 if the results agree, 1 if they do not, else the status of the comparison
 */
async function repeatComparison(
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

interface RepeatOptions extends SandboxChoice {
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
async function repeat(recipe: Recipe, { args, color, ...choice }: RepeatOptions): Promise<number> {
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
