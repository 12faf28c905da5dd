import { InputError } from "../../core/errors.ts";
import { moment, wholeNumber } from "../flag_values.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { openStore } from "../../store/store.ts";
import { createCommand } from "./command.ts";
import { renderRuns } from "./render_kept.ts";
import { findStore, nothingKept } from "./store_access.ts";

export const define = () =>
  createCommand({
    name: "prune",
    description: "Removes kept runs and frees their space. Keeps baselines and runs that are still running.",
    examples: [
      ["tacho prune --keep 50", "remove all but the latest 50 runs of each scenario"],
      ["tacho prune --older-than 30d --dry-run", "list the runs older than 30 days without removing them"],
      ["tacho prune --older-than 30d --scenario mlp", "remove old runs of one scenario"],
    ],
  })
    .option("--keep <n>", "keep the latest n runs of each scenario", wholeNumber("--keep", 0))
    .option("--older-than <age>", "remove older runs: an age such as 30d or 12h, or a date", moment("--older-than"))
    .option("--scenario <name>", "remove only runs of this scenario")
    .option("--dry-run", "list what would be removed, without removing it");

/** Removes kept runs. */
export const run = runOf(define, ({ store: folder, keep, olderThan: before, scenario, dryRun = false, color }) => {
  if (keep === undefined && before === undefined) {
    throw new InputError("tacho prune: expected --keep N or --older-than AGE to select runs");
  }
  using found = findStore(folder);
  if (found === null) {
    writeOut(`${nothingKept(folder)}\n`);
    return;
  }
  // The store may be readable but not writable
  using store = openStore(found.folder);
  const runs = store.prune({ keep, before, scenario, dryRun });
  const count = runs.length === 1 ? "1 run" : `${runs.length} runs`;
  const verb = dryRun ? "would be" : runs.length === 1 ? "was" : "were";
  if (runs.length === 0) writeOut(`Nothing to remove in ${store.file}\n`);
  else writeOut(renderRuns(`${count} ${verb} removed from ${store.folder}`, runs, lookOfStdout(color)));
});
