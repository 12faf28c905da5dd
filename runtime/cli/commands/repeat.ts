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
      "Runs a kept run, or the experiment of a lock file, again: with the script and the modules that it imported as " +
      "they were, and with its settings. Says first what is not the same as then, and at the end whether the results " +
      "agree: status 0 where they do, 1 where they do not. What runs is the stored script, with all permissions: " +
      "repeat only files of people you trust.",
    examples: [
      ["tacho repeat last", "the last run again"],
      ["tacho repeat k3f2", "a run by its id, or a part of it"],
      ["tacho repeat resnet.lock.json", "an experiment that someone has sent"],
      ["tacho repeat k3f2 --rounds 16", "with flags for its script besides its own"],
    ],
  })
    .argument("<run>", "the id of a run, a part of it, last, or a lock file")
    .argument("[args...]", "flags and settings for the script besides those it had")
    .allowUnknownOption();
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store, color } = command.opts();
  const [name = "", ...more] = command.args;
  const own = [...store === undefined ? [] : [`--store=${store}`], ...color ? [] : ["--no-color"]];
  return await repeat(await findRecipe(name, store), { args: [...own, ...more], color });
}
