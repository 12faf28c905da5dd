import { ExitStatus } from "../../core/errors.ts";
import { parseCommand } from "../parse_command.ts";
import { findRecipe } from "../repeat/find_recipe.ts";
import { repeat } from "../repeat/repeat.ts";
import { createCommand } from "./command.ts";

/** Runs a kept run or a lock file again. */
export async function run(args: readonly string[]): Promise<number> {
  const command = createCommand({
    name: "repeat",
    description:
      "Runs a kept run or the experiment of a lock file again, with the original script, imports and settings. Prints the " +
      "differences of the environment first, and at the end whether the results agree: status 0 if they do, 1 if not. " +
      "The stored script runs with all permissions: repeat only files of people you trust.",
    examples: [
      ["tacho repeat last", "repeat the last run"],
      ["tacho repeat k3f2", "repeat a run by its ID, or a part of it"],
      ["tacho repeat resnet.lock.json", "repeat an experiment from a lock file"],
      ["tacho repeat k3f2 --rounds 16", "add flags for the script"],
    ],
  })
    .argument("<run>", "ID of a run, a part of it, last, or a lock file")
    .argument("[args...]", "additional flags and settings for the script")
    .allowUnknownOption();
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store, color } = command.opts();
  const [name = "", ...more] = command.args;
  const own = [...store === undefined ? [] : [`--store=${store}`], ...color ? [] : ["--no-color"]];
  return await repeat(await findRecipe(name, store), { args: [...own, ...more], color });
}
