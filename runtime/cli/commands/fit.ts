import { ExitStatus, InputError } from "../../core/errors.ts";
import { parseCommand } from "../parse_command.ts";
import { checkScript } from "../script.ts";
import { runScript } from "../script_process.ts";
import { createPlainCommand } from "./command.ts";

export const define = () =>
  createPlainCommand({
    name: "fit",
    description:
      "Finds the largest batch of each variant of a scenario that fits in memory, and what recompute and accumulate would " +
      "allow. Plans only: opens no device and runs no step. The budget is memoryBudget; on a software adapter it defaults " +
      "to 80 % of the free memory.",
    examples: [
      ["tacho fit scripts/gpt.ts memoryBudget=8GiB", "largest batches in 8 GiB"],
      ["tacho fit scripts/gpt.ts loader.batchSize=256 memoryBudget=2GiB", "settings for 256 samples in a step"],
      ["tacho fit scripts/gpt.ts amp=O0,O2 memoryBudget=2GiB", "compare variants of a sweep"],
      ["tacho fit scripts/gpt.ts memoryBudget=2GiB --json fit.json", "write the result as JSON"],
    ],
  })
    .usage("[options] <script> [settings...]")
    .argument("<script>", "path of a script")
    .argument("[settings...]", "settings and flags for the script, such as --variants, --adapter and --json")
    .allowUnknownOption();

/** Runs a script with `--fit`. */
export async function run(args: readonly string[]): Promise<number> {
  const [script, ...rest] = args;
  const command = define();
  if (script === "--help" || script === "-h") {
    parseCommand(command, [script]);
    return ExitStatus.ok;
  }
  if (script === undefined || script.startsWith("-")) {
    throw new InputError(
      `tacho fit: expected the path of a script, got ${script === undefined ? "nothing" : `"${script}"`}`,
    );
  }
  checkScript(script, "tacho fit");
  return await runScript(script, [...rest, "--fit"], Deno.cwd());
}
