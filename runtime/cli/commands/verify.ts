import { resolve } from "node:path";
import { ExitStatus } from "../../core/errors.ts";
import { folder, wholeNumber } from "../flag_values.ts";
import { parseCommand } from "../parse_command.ts";
import { findRecipe } from "../repeat/find_recipe.ts";
import { verify } from "../repeat/verify.ts";
import { READ, SANDBOX, TRUST } from "../repeat/sandbox/choice.ts";
import { createCommand } from "./command.ts";

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
export async function run(args: readonly string[]): Promise<number> {
  const command = define();
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store, color, data, steps = null, sandbox, trust, read } = command.opts();
  const [name] = command.processedArgs;
  return await verify(findRecipe(name, store), {
    steps,
    color,
    data: data === undefined ? null : resolve(data),
    sandbox,
    trust,
    readable: read.map((path) => resolve(path)),
  });
}
