import { ExitStatus } from "../../core/errors.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { parseCommand } from "../parse_command.ts";
import { readSweeps } from "../submit/sweep_status.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createPlainCommand } from "./command.ts";
import { renderStatus } from "./status_table.ts";

export const define = () =>
  createPlainCommand({
    name: "status",
    description:
      "Shows how far the shards of a sweep are. Reads the shard files, so that it needs no scheduler and works while the " +
      "shards run.",
    examples: [
      ["tacho status mlp", "show the sweep that tacho submit mlp.ts started here"],
      ["tacho status results", "show the sweeps whose shard files are in a folder"],
      ["tacho status mlp --json", "print JSON for other programs"],
    ],
  })
    .argument("<name>", "name of a submitted sweep, or folder of shard files")
    .option("--json", "print JSON");

/** Shows the state of the shards of a sweep. */
export async function run(args: readonly string[]): Promise<number> {
  const command = define();
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { json = false, color } = command.opts();
  const sweeps = readSweeps(command.processedArgs[0]);
  if (json) {
    await writeJson(STDOUT, sweeps);
  } else {
    writeOut(sweeps.map((sweep) => renderStatus(sweep, lookOfStdout(color))).join("\n"));
  }
  return ExitStatus.ok;
}
