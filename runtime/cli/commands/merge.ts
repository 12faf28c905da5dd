import { ExitStatus } from "../../core/errors.ts";
import { folder } from "../flag_values.ts";
import { mergeFiles } from "../merge_files.ts";
import { runOf } from "../parse_command.ts";
import { createCommand } from "./command.ts";

export const define = () =>
  createCommand({
    name: "merge",
    description:
      "Merges the shard files of a sweep into one run of the store. Every variant is compared with the baseline of the same " +
      "node, and p is corrected for all variants. Merging the same files again gives the same run. Exits with 1 if a shard " +
      "is missing or unusable.",
    examples: [
      ["tacho merge points-*-of-4.tacho.jsonl", "merge four shards"],
      ["tacho merge *.tacho.jsonl --across-adapters", "combine nodes with different adapters"],
      ["tacho merge *.tacho.jsonl --report out", "also write the report to out"],
    ],
  })
    .argument("<files...>", "shard files, NAME-K-of-N.tacho.jsonl")
    .option("--across-adapters", "combine different adapters; the interval has the spread between nodes")
    .option("--report <dir>", "also write report.html, report.md, profile.csv and result.json", folder("--report"));

/** Merges shard files into the store. */
export const run = runOf(define, async ({ store, acrossAdapters = false, report = null, color }, [files]) => {
  const all = await mergeFiles(files, { store, acrossAdapters, report, color });
  return all ? ExitStatus.ok : ExitStatus.gateFailed;
});
