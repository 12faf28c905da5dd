import { resolve } from "node:path";
import { ExitStatus } from "../../core/errors.ts";
import { folder, wholeNumber } from "../flag_values.ts";
import { parseCommand } from "../parse_command.ts";
import { findRecipe } from "../repeat/find_recipe.ts";
import { verify } from "../repeat/verify.ts";
import { createCommand } from "./command.ts";

/** Checks that a kept run's losses come out again. */
export async function run(args: readonly string[]): Promise<number> {
  const command = createCommand({
    name: "verify",
    description:
      "Trains the variants of a kept run again, for as many steps as it has losses of and no longer, and says whether " +
      "the losses are identical to the last bit: status 0 where they are, 1 where they are not. Measures nothing and " +
      "keeps nothing.",
    examples: [
      ["tacho verify last", "all steps of the last run"],
      ["tacho verify k3f2 --steps 10", "the first ten steps of a run"],
      ["tacho verify resnet.lock.json", "what a lock file of a run holds"],
    ],
  })
    .argument("<run>", "the id of a run, a part of it, last, or a lock file of a run")
    .option("--steps <n>", "check only the first n steps", wholeNumber("--steps", 1))
    .option("--data <dir>", "folder of the data set, where it has moved", folder("--data"));
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store, color, data, steps = null } = command.opts();
  const [name] = command.processedArgs;
  return await verify(await findRecipe(name, store), { steps, color, data: data === undefined ? null : resolve(data) });
}
