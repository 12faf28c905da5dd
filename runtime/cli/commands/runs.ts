import { ExitStatus } from "../../core/errors.ts";
import { tableCsv } from "../../report/csv.ts";
import { RUN_STATUSES } from "../../store/records.ts";
import { oneOf, wholeNumber } from "../flag_values.ts";
import { parseCommand } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { renderRuns, runsTable } from "./run_table.ts";
import { findStore, nothingKept } from "./store_access.ts";
import { moment } from "./times.ts";

/** Lines, unless the user asks for more. */
const USUAL_LIMIT = 20;

/** Lists the kept runs. */
export async function run(args: readonly string[]): Promise<number> {
  const command = createCommand({
    name: "runs",
    description: "Lists the kept runs, the latest first.",
    examples: [
      ["tacho runs", `the latest ${USUAL_LIMIT}`],
      ["tacho runs resnet", "those with resnet in their scenario, script, arguments, adapter or id"],
      ["tacho runs --status interrupted", "those that can be taken up again"],
      ["tacho runs --since 7d --all", "all of the last week"],
      ["tacho runs --scenario lenet --json", "as JSON, for other programs"],
    ],
  })
    .argument("[text]", "a part of the id, the scenario, the script, the arguments or the adapter")
    .option("--scenario <name>", "only this scenario's")
    .option("--status <status>", `only those that are ${RUN_STATUSES.join(", ")}`, oneOf("--status", RUN_STATUSES))
    .option("--adapter <name>", "only those on an adapter with this in its name")
    .option("--since <when>", "only those since then: an age such as 7d or 12h, or a date", moment("--since"))
    .option("--limit <n>", `at most so many (${USUAL_LIMIT})`, wholeNumber("--limit", 1))
    .option("--all", "as many as there are")
    .option("--json", "print them as JSON")
    .option("--csv", "print them as CSV");
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store: folder, limit = USUAL_LIMIT, all = false, json = false, csv = false, color, debug: _, ...filter } =
    command.opts();
  const [text] = command.processedArgs;
  using store = findStore(folder);
  const runs = store?.find({ ...filter, text, limit: all ? undefined : limit }) ?? [];
  if (json) {
    writeOut(`${JSON.stringify(runs, null, 2)}\n`);
  } else if (csv) {
    writeOut(tableCsv(runsTable("", runs)));
  } else if (store === null) {
    writeOut(`${nothingKept(folder)}\n`);
  } else if (runs.length === 0) {
    writeOut(`No kept run fits; ${store.file} was searched\n`);
  } else {
    const title = runs.length === 1 ? "1 run" : `${runs.length} runs`;
    const more = runs.length === limit && !all ? ", the latest; --all shows every one" : "";
    writeOut(renderRuns(`${title} in ${store.folder}${more}`, runs, lookOfStdout(color)));
  }
  return await Promise.resolve(ExitStatus.ok);
}
