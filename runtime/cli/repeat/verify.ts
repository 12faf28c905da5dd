import { sameAdapter } from "../../analysis/environment_differences.ts";
import { hasLosses, verifyLosses } from "../../analysis/agreement/verify_losses.ts";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { renderVerification } from "../../report/verification.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import type { Recipe } from "./recipe.ts";
import { runWorkspace } from "./run_workspace.ts";
import { enterFolder, environmentNow, settingText } from "./setting.ts";
import { verifyArgs } from "./verify_args.ts";
import { openWorkspace } from "./workspace.ts";

export interface VerifyOptions {
  /** Steps to check at the most; all that the first run has losses of when null. */
  readonly steps: number | null;
  readonly color: boolean;
  /** Folder of the data, where it is not the first run's; absolute. */
  readonly data: string | null;
}

/**
 * Trains the variants of an earlier run for as many steps as it has losses of, and says whether they come out again to the
 * last bit. Nothing is timed and nothing is kept.
 *
 * @returns the exit status: 0 where all are identical, 1 where they are not
 * @throws {InputError} if the run has no losses or was a climb, or its script is damaged
 */
export async function verify(recipe: Recipe, { steps, color, data }: VerifyOptions): Promise<number> {
  if (recipe.args.includes("--tune")) {
    throw new InputError(
      `${recipe.where}: was a climb (--tune), whose variants the script does not have; verify a run of its tuned experiment`,
    );
  }
  const then = recipe.result;
  const variants = then?.variants.filter(hasLosses) ?? [];
  if (then === null || variants.length === 0) {
    throw new InputError(`${recipe.where}: has no losses to verify; expected a run that trained a model`);
  }
  const longest = Math.max(...variants.map(({ losses }) => losses.length));
  const wanted = Math.min(steps ?? Infinity, longest);
  enterFolder(recipe);
  const environment = await environmentNow(recipe);
  using workspace = await openWorkspace(recipe.modules, recipe.where);
  writeOut(settingText(recipe, environment, data));
  const same = sameAdapter(then.environment, environment);
  if (!same) writeOut("On another adapter or driver losses cannot be expected to be identical\n");
  const { status, result } = await runWorkspace(workspace, {
    args: [...verifyArgs(recipe.args, wanted, then.variants), ...data === null ? [] : [`--data=${data}`]],
    file: recipe.script,
    quiet: true,
  });
  if (result === null || status === ExitStatus.interrupted) return status || ExitStatus.gateFailed;
  const checks = verifyLosses(then, result, wanted);
  writeOut(`\n${renderVerification(checks, { ...lookOfStdout(color), first: recipe.where, sameAdapter: same })}`);
  return checks.every(({ identical }) => identical) ? ExitStatus.ok : ExitStatus.gateFailed;
}
