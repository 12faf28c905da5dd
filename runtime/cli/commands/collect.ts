import { join } from "node:path";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { folder } from "../flag_values.ts";
import { mergeFiles } from "../merge_files.ts";
import { runOf } from "../parse_command.ts";
import { findSweeps } from "../../shards/submit/sweep_status.ts";
import { warn } from "../terminal.ts";
import { createCommand } from "./command.ts";

export const define = () =>
  createCommand({
    name: "collect",
    description:
      "Merges the shards of a submitted sweep into one run of the store, like tacho merge with its files. Reads the shard " +
      "files, so that it needs no scheduler. Shards that have not ended are named and left out, and the command exits with " +
      "1; collect again when they have.",
    examples: [
      ["tacho collect mlp", "merge the sweep that tacho submit mlp.ts started here"],
      ["tacho collect results", "merge the sweeps whose shard files are in a folder"],
      ["tacho collect mlp --report out", "also write the report to out"],
    ],
  })
    .argument("<name>", "name of a submitted sweep, or folder of shard files")
    .option("--across-adapters", "combine different adapters; the interval has the spread between nodes")
    .option("--report <dir>", "also write report.html, report.md, profile.csv and result.json", folder("--report"));

/** Merges the shards of a sweep. A folder with several sweeps gives a run for each, and a report in a folder for each. */
export const run = runOf(define, async ({ store, acrossAdapters = false, report = null, color }, [name]) => {
  const sweeps = findSweeps(name, "tacho collect");
  let all = true;
  for (const { scenario, of, paths } of sweeps) {
    const target = report === null || sweeps.length === 1 ? report : join(report, `${scenario}-of-${of}`);
    try {
      all = await mergeFiles(paths, { store, acrossAdapters, report: target, color }) && all;
    } catch (error) {
      if (sweeps.length === 1 || !(error instanceof InputError)) throw error;
      warn(`${scenario} in ${of} shards: ${error.message}`);
      all = false;
    }
  }
  return all ? ExitStatus.ok : ExitStatus.gateFailed;
});
