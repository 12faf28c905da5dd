import { ExitStatus } from "../../core/errors.ts";
import { mergeShards } from "../../experiment/shards/merge_shards.ts";
import { storeFolder } from "../../store/folder.ts";
import { openStore } from "../../store/store.ts";
import { parseCommand } from "../parse_command.ts";
import { withoutFlags } from "../repeat/experiment_args.ts";
import { resultText } from "../result_text.ts";
import { warn, writeError, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";

/** Flags of a shard that a repeated run must not have. */
const SHARD_FLAGS = ["--shard", "--replicate", "--shard-dir"];

export const define = () =>
  createCommand({
    name: "merge",
    description:
      "Merges the shard files of a sweep into one run of the store. Every variant is compared with the baseline of its own " +
      "node, and p is corrected for all variants. Merging the same files again gives the same run. Exits with 1 if a shard " +
      "is missing or unusable.",
    examples: [
      ["tacho merge points-*-of-4.tacho.jsonl", "merge four shards"],
      ["tacho merge *.tacho.jsonl --across-adapters", "combine nodes with different adapters"],
    ],
  })
    .argument("<files...>", "shard files, NAME-K-of-N.tacho.jsonl")
    .option("--across-adapters", "combine different adapters; the interval has the spread between nodes");

/** Merges shard files into the store. */
export async function run(args: readonly string[]): Promise<number> {
  const command = define();
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store: folder, acrossAdapters = false, color } = command.opts();
  const { result, spec, header, modules, started, key, problems } = mergeShards(
    command.processedArgs[0],
    acrossAdapters,
  );
  for (const problem of problems) warn(problem);
  using store = openStore(storeFolder(folder));
  const start = {
    ...{ started, spec, script: header.script, modules, cwd: header.cwd },
    args: withoutFlags(header.args, SHARD_FLAGS),
    environment: result.environment,
  };
  const id = store.keepMerged(start, key, result);
  writeOut(resultText(result, { pipeline: false, color }));
  writeError(`kept as ${id} (tacho show ${id})\n`);
  return await Promise.resolve(problems.length === 0 ? ExitStatus.ok : ExitStatus.gateFailed);
}
