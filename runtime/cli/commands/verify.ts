import { resolve } from "node:path";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { folder, wholeNumber } from "../flag_values.ts";
import { runOf } from "../parse_command.ts";
import { findRecipe } from "../repeat/recipe_of_run.ts";
import { READ, restrictedBy, SANDBOX, type SandboxChoice, TRUST } from "../repeat/sandbox/choice.ts";
import { createCommand } from "./command.ts";
import { sameAdapter } from "../../analysis/environment_differences.ts";
import { hasLosses, verifyLosses } from "../../analysis/agreement/verify_losses.ts";
import { renderVerification } from "../../report/agreement.ts";
import { grantText, trustText } from "../repeat/sandbox/grants.ts";
import { openSandbox, prepareInputs } from "../repeat/sandbox/open_sandbox.ts";
import { runInSandbox } from "../repeat/sandbox/sandboxed_run.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { recipeArgs, verifyArgs } from "../repeat/experiment_args.ts";
import type { Recipe } from "../repeat/recipe.ts";
import { runWorkspace } from "../repeat/run_workspace.ts";
import { enterFolder, environmentNow, settingText } from "../repeat/setting.ts";
import { openWorkspace } from "../repeat/workspace.ts";

export const define = () =>
  createCommand({
    name: "verify",
    description:
      "Trains the variants of a kept run again, for the steps whose losses it has, and checks that the losses are " +
      "identical bit for bit: status 0 if they are, 1 if not. Measures no times and keeps no run. The script of a lock " +
      "file runs in a sandbox, as in tacho repeat.",
    examples: [
      ["tacho verify last", "check all steps of the last run"],
      ["tacho verify k3f2 --steps 10", "check the first ten steps of a run"],
      ["tacho verify resnet.lock.json", "check the run in a lock file"],
    ],
  })
    .argument("<run>", "ID of a run, a part of it, last, or the lock file of a run")
    .option("--steps <n>", "check only the first n steps", wholeNumber("--steps", 1))
    .option("--data <dir>", "folder or file of the data set, if it has moved", folder("--data"))
    .addOption(SANDBOX)
    .addOption(TRUST)
    .addOption(READ);

/** Checks that the losses of a kept run are reproduced. */
export const run = runOf(define, async ({ store, color, data, steps = null, sandbox, trust, read }, [name]) => {
  return await verify(findRecipe(name, store), {
    steps,
    color,
    data: data === undefined ? null : resolve(data),
    sandbox,
    trust,
    readable: read.map((path) => resolve(path)),
  });
});

interface VerifyOptions extends SandboxChoice {
  /** Maximum number of steps to check; null checks all that have losses. */
  readonly steps: number | null;
  readonly color: boolean;
  /** Absolute path of the data, if it has moved. */
  readonly data: string | null;
}

/**
 * Trains the variants of an earlier run for the steps whose losses it has, and checks that they are identical bit for bit.
 * Measures no times and keeps no run.
 *
 * @returns the exit status: 0 if all losses are identical, 1 if not
 * @throws {InputError} if the run has no losses or used `--tune`, or its script is damaged
 */
async function verify(recipe: Recipe, { steps, color, data, ...choice }: VerifyOptions): Promise<number> {
  const restricted = restrictedBy(choice, recipe);
  if (recipe.args.includes("--tune")) {
    throw new InputError(
      `${recipe.where}: cannot verify a run with --tune, whose variants are not in the script; verify a run of its lock file`,
    );
  }
  const then = recipe.result;
  const variants = then?.variants.filter(hasLosses) ?? [];
  if (then === null || variants.length === 0) {
    throw new InputError(`${recipe.where}: no losses to verify; expected a run that trained a model`);
  }
  const longest = Math.max(...variants.map(({ losses }) => losses.length));
  const wanted = Math.min(steps ?? Infinity, longest);
  enterFolder(recipe);
  using workspace = await openWorkspace(recipe.modules, recipe.where, recipe.pinned);
  const environment = { ...await environmentNow(recipe, restricted === null), lockHash: workspace.lockHash };
  const named = restricted === null ? null : { ...restricted, data };
  const sandbox = named === null ? null : await openSandbox(workspace, recipe, named);
  writeOut(`${sandbox === null ? trustText(recipe.where) : grantText(recipe.where, sandbox.grants)}\n`);
  if (sandbox !== null && named !== null) await prepareInputs(workspace, sandbox, recipe, named);
  writeOut(settingText(recipe, environment, data));
  const same = sameAdapter(then.environment, environment);
  if (!same) writeOut("Losses may differ: this is another adapter or driver\n");
  const args = [...verifyArgs(recipeArgs(recipe), wanted, then.variants), ...data === null ? [] : [`--data=${data}`]];
  const { status, result } = sandbox === null
    ? await runWorkspace(workspace, { args, file: recipe.script, quiet: true })
    : await runInSandbox(workspace, sandbox, recipe, { args, environment, quiet: true });
  if (result === null || status === ExitStatus.interrupted) return status || ExitStatus.gateFailed;
  const checks = verifyLosses(then, result, wanted);
  writeOut(`\n${renderVerification(checks, { ...lookOfStdout(color), first: recipe.where, sameAdapter: same })}`);
  return checks.every(({ identical }) => identical) ? ExitStatus.ok : ExitStatus.gateFailed;
}
