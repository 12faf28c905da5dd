import { alternatives } from "../../data/kinds.ts";
import { runsTable } from "../../library/kept/run_table.ts";
import { tableCsv } from "../../report/csv.ts";
import { RUN_STATUSES } from "../../store/records.ts";
import { renderKept } from "../attach/kept.ts";
import { moment, oneOf, wholeNumber } from "../flag_values.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { renderRuns } from "./render_kept.ts";
import { findStore, leftOut, nothingKept } from "./store_access.ts";

/** Default number of runs. */
const DEFAULT_LIMIT = 20;

export const define = () =>
  createCommand({
    name: "runs",
    description: "Lists the kept runs, the latest first, and then the programs that tacho attach has recorded.",
    examples: [
      ["tacho runs", `list the latest ${DEFAULT_LIMIT} runs`],
      ["tacho runs resnet", "list runs with resnet in their scenario, script, arguments, adapter or ID"],
      ["tacho runs --status interrupted", "list runs that can be resumed"],
      ["tacho runs --since 7d --all", "list all runs of the last week"],
      ["tacho runs --scenario lenet --json", "print JSON for other programs"],
    ],
  })
    .argument("[text]", "part of the ID, the scenario, the script, the arguments or the adapter")
    .option("--scenario <name>", "select runs of this scenario")
    .option(
      "--status <status>",
      `select runs with this status: ${alternatives(RUN_STATUSES)}`,
      oneOf("--status", RUN_STATUSES),
    )
    .option("--adapter <name>", "select runs on adapters with this in their name")
    .option("--since <when>", "select runs started since then: an age such as 7d or 12h, or a date", moment("--since"))
    .option("--limit <n>", `list at most this many runs (default: ${DEFAULT_LIMIT})`, wholeNumber("--limit", 1))
    .option("--all", "list all runs")
    .option("--json", "print JSON")
    .option("--csv", "print CSV");

/** Lists the kept runs. */
export const run = runOf(
  define,
  async (
    { store: folder, limit = DEFAULT_LIMIT, all = false, json = false, csv = false, color, debug: _, ...filter },
    [text],
  ) => {
    using store = findStore(folder);
    const selected = { ...filter, text, limit: all ? undefined : limit };
    // Attached programs have no scenario, and a status of their process
    const takesAttached = filter.scenario === undefined && filter.status === undefined;
    const attached = takesAttached ? store?.attachedRuns(selected, leftOut) ?? [] : [];
    const runs = store?.find(selected, leftOut) ?? [];
    if (json) {
      await writeJson(STDOUT, runs);
    } else if (csv) {
      writeOut(tableCsv(runsTable("", runs)));
    } else if (store === null) {
      writeOut(`${nothingKept(folder)}\n`);
    } else if (runs.length === 0 && attached.length === 0) {
      writeOut(`No kept run in ${store.file} matches\n`);
    } else if (runs.length > 0) {
      const title = runs.length === 1 ? "1 run" : `${runs.length} runs`;
      const more = runs.length === limit && !all ? " (latest; --all lists all)" : "";
      writeOut(renderRuns(`${title} in ${store.folder}${more}`, runs, lookOfStdout(color)));
    }
    if (!json && !csv && attached.length > 0) {
      writeOut(`${runs.length > 0 ? "\n" : ""}${renderKept(attached, lookOfStdout(color))}`);
    }
  },
);
