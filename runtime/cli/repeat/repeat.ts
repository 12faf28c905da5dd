import { compareResults } from "../../analysis/agreement/compare_results.ts";
import { ExitStatus } from "../../core/errors.ts";
import { renderAgreement } from "../../report/agreement.ts";
import { wrap } from "../../report/wrap.ts";
import { stdoutIsData } from "../json_output.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { experimentArgs, flagValue, withAbsolutePaths } from "./experiment_args.ts";
import type { Recipe } from "./recipe.ts";
import { runWorkspace } from "./run_workspace.ts";
import { settingChanges } from "./setting_changes.ts";
import { enterFolder, environmentNow, settingText } from "./setting.ts";
import { openWorkspace } from "./workspace.ts";

/** Prose is not set wider than this. */
const WIDTH = 100;

export interface RepeatOptions {
  /** Flags for the script besides those of the recipe. */
  readonly args: readonly string[];
  readonly color: boolean;
}

/**
 * Runs an experiment again: says first what is not the same as then, lets the stored script print its matrix, and holds the
 * results against those of the first run.
 *
 * @returns the exit status: 0 where they agree, 1 where they do not, else the script's own
 * @throws {InputError} if the stored script is damaged
 */
export async function repeat(recipe: Recipe, { args, color }: RepeatOptions): Promise<number> {
  const more = withAbsolutePaths(args, Deno.cwd());
  enterFolder(recipe);
  const environment = await environmentNow(recipe);
  using workspace = await openWorkspace(recipe.modules, recipe.where);
  const json = flagValue(args, "--json") ?? undefined;
  const say = stdoutIsData({ json, jsonLines: args.includes("--json-lines") }) ? writeError : writeOut;
  say(`${settingText(recipe, environment, flagValue(more, "--data"))}\n`);
  const { status, result } = await runWorkspace(workspace, {
    args: [...experimentArgs(recipe.args), ...more],
    file: recipe.script,
    quiet: false,
  });
  if (result === null) return status || ExitStatus.gateFailed;
  const changes = settingChanges(recipe.spec, result, workspace.folder);
  const sameSettings = changes.length === 0;
  if (!sameSettings) {
    const lines = changes.flatMap((line) => wrap(`  ${line}`, WIDTH, 6));
    say(["", `The settings are not those of ${recipe.where}:`, ...lines, ""].join("\n"));
  }
  if (recipe.result === null || status === ExitStatus.interrupted) return status;
  const variants = compareResults(recipe.result, result);
  say(`\n${renderAgreement(variants, { ...lookOfStdout(color), first: recipe.where, sameSettings })}`);
  const agree = sameSettings && variants.every(({ disagreements }) => disagreements.length === 0);
  return agree ? ExitStatus.ok : ExitStatus.gateFailed;
}

function writeError(text: string): void {
  console.error(text.trimEnd());
}
