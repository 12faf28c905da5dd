import { InputError } from "../../core/errors.ts";
import { isRunName } from "../../store/run_name.ts";
import { checkTarget, STDOUT, writeTarget } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { lockText } from "../repeat/lock_file.ts";
import type { Recipe } from "../repeat/recipe.ts";
import { recipeOfRun } from "../repeat/recipe_of_run.ts";
import { recipeOfScript } from "../repeat/recipe_of_script.ts";
import { checkScript } from "../script.ts";
import { writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { needStore } from "./store_access.ts";

export const define = () =>
  createCommand({
    name: "lock",
    description:
      "Writes an experiment to one JSON file that runs on any machine with Tacho: the script with its local imports, its " +
      'flags, its resolved settings, and the environment. "tacho repeat FILE" runs it. The lock file of a kept run also ' +
      "contains its result, with which a repeated run is compared.",
    examples: [
      ["tacho lock scripts/mlp.ts", "write mlp.lock.json"],
      ["tacho lock scripts/mlp.ts amp=O0,O2 --rounds 8 -o amp.json", "write an experiment with settings to amp.json"],
      ["tacho lock last", "write the last run with its result"],
    ],
  })
    .argument("<script>", "scenario script, or ID of a kept run")
    .argument("[args...]", "flags and settings for the script")
    .option("-o, --output <file>", "file to write, or - for stdout (default: SCENARIO.lock.json)")
    .allowUnknownOption();

/** Writes an experiment to one file. */
export const run = runOf(define, async ({ store, output }, _args, command) => {
  const [script = "", ...rest] = command.args;
  if (output !== undefined) await checkTarget(output, "--output");
  const ofScript = !isRunName(script);
  if (ofScript) checkScript(script, "tacho lock");
  const recipe = ofScript ? await recipeOfScript(script, rest) : ofRun(script, rest, store);
  const target = output ?? `${recipe.spec.scenario}.lock.json`;
  writeTarget(target, await lockText(recipe), "--output");
  if (target === STDOUT) return;
  const { spec: { scenario, variants }, modules } = recipe;
  const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
  writeOut(
    `${target}: ${scenario}, ${count(variants.length, "variant")}, ${count(modules.length, "module")}` +
      `${recipe.result === null ? "" : ", with its result"}; run it with: tacho repeat ${target}\n`,
  );
});

function ofRun(name: string, args: readonly string[], folder: string | undefined): Recipe {
  if (args.length > 0) {
    throw new InputError(`lock ${name}: a kept run has its own flags and settings; omit ${args.join(" ")}`);
  }
  using store = needStore(folder);
  return recipeOfRun(store, name);
}
