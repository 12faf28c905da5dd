import { ExitStatus, InputError } from "../../core/errors.ts";
import { readText } from "../../core/files.ts";
import { parseCommand } from "../parse_command.ts";
import { checkScript } from "../script.ts";
import { runScript } from "../script_process.ts";
import { takeSandboxFlags } from "../repeat/sandbox/choice.ts";
import { silenceOf } from "../silent_script.ts";
import { createCommand } from "./command.ts";

export const define = () =>
  createCommand({
    name: "run",
    description: "Runs a scenario script, like deno run -A SCRIPT. The script's own --help lists its settings.",
    examples: [
      ["tacho run scripts/resnet.ts", "run the scenario as written"],
      ["tacho run scripts/mlp.ts sink=0,10 --rounds 8", "run a sweep"],
      ["tacho run scripts/mlp.ts --help", "list the script's settings and flags"],
      ["tacho run mine.ts --sandbox --read data", "run a script with few permissions, which may read a folder"],
      ["tacho run mlp.lock.json", "run a locked experiment, like tacho repeat"],
    ],
  })
    .argument("<script>", "path of a script or a lock file")
    .argument("[arguments...]", "settings and flags for the script");

/** Runs a scenario script with its arguments. */
export async function run(args: readonly string[]): Promise<number> {
  const [script, ...rest] = args;
  const command = define();
  if (script === "--help" || script === "-h") {
    parseCommand(command, [script]);
    return ExitStatus.ok;
  }
  if (script === undefined || script.startsWith("-")) {
    const found = script === undefined ? "nothing" : `"${script}"; flags come after it: tacho run SCRIPT ${script}`;
    throw new InputError(`tacho run: expected the path of a script, got ${found}`);
  }
  if (script.endsWith(".json")) return await (await import("./repeat.ts")).run(args);
  checkScript(script, "tacho run");
  const restricted = takeSandboxFlags(rest);
  if (restricted === null) {
    const text = readText(script);
    const status = await runScript(script, rest, Deno.cwd());
    const silence = status === ExitStatus.ok ? silenceOf(text) : null;
    if (silence !== null) throw new InputError(`tacho run: ${script} ${silence}`);
    return status;
  }
  const { runScriptInSandbox } = await import("../repeat/sandbox/run_script.ts");
  return await runScriptInSandbox(script, restricted.args, restricted);
}
