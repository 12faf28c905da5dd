import { ExitStatus, InputError } from "../../core/errors.ts";
import { checkScript } from "../check_script.ts";
import { parseCommand } from "../parse_command.ts";
import { runScript } from "../script_process.ts";
import { createCommand } from "./command.ts";

/** Runs a scenario script with all that follows its name. */
export async function run(args: readonly string[]): Promise<number> {
  const [script, ...rest] = args;
  const command = createCommand({
    name: "run",
    description: "Runs a scenario script; the same as deno run -A SCRIPT. The script's own --help lists its settings.",
    examples: [
      ["tacho run scripts/resnet.ts", "the scenario as it is written"],
      ["tacho run scripts/mlp.ts sink=0,10 --rounds 8", "a sweep"],
      ["tacho run scripts/mlp.ts --help", "its settings and flags"],
      ["tacho run mlp.lock.json", "an experiment that was locked; the same as tacho repeat"],
    ],
  })
    .argument("<script>", "path of the script, or of a lock file")
    .argument("[arguments...]", "the script's settings and flags");
  if (script === "--help" || script === "-h") {
    parseCommand(command, [script]);
    return ExitStatus.ok;
  }
  if (script === undefined || script.startsWith("-")) {
    throw new InputError(
      `tacho run: expected the path of a script, got ${script === undefined ? "nothing" : `"${script}"`}`,
    );
  }
  if (script.endsWith(".json")) return await (await import("./repeat.ts")).run(args);
  await checkScript(script, "tacho run");
  return await runScript(script, rest, Deno.cwd());
}
