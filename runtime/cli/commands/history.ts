import { GATE_METRICS, splitSubject } from "../../analysis/gates/gate_metrics.ts";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { tableCsv } from "../../report/csv.ts";
import { wholeNumber } from "../flag_values.ts";
import { parseCommand } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { historyTable, renderHistory } from "./history_table.ts";
import { needStore } from "./store_access.ts";
import { moment } from "./times.ts";

/** Runs, unless the user asks for more. */
const USUAL_LIMIT = 30;

/** Shows a metric over the kept runs. */
export async function run(args: readonly string[]): Promise<number> {
  const command = createCommand({
    name: "history",
    description: "Shows a metric of a variant over the kept runs of a scenario, the earliest first.",
    examples: [
      ["tacho history ips.baseline", "samples a second"],
      ["tacho history speedup.sink --scenario lenet", "of one scenario"],
      ["tacho history memory.peak.amp --since 30d", "of the last 30 days"],
      ["tacho history verdict.sink --limit 10", "whether it was faster each time"],
    ],
  })
    .argument("<metric.variant>", "such as ips.baseline; metrics are those of --gate")
    .option("--scenario <name>", "of this scenario; else of the latest run that has such a variant")
    .option("--adapter <name>", "only runs on an adapter with this in its name")
    .option("--since <when>", "only runs since then: an age such as 30d, or a date", moment("--since"))
    .option("--limit <n>", `at most so many runs (${USUAL_LIMIT}), the latest`, wholeNumber("--limit", 1))
    .option("--json", "print it as JSON")
    .option("--csv", "print it as CSV");
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store: folder, json = false, csv = false, color, limit = USUAL_LIMIT, scenario: named, ...filter } = command
    .opts();
  const subject = readSubject(command.processedArgs[0]);
  using store = needStore(folder);
  const scenario = named ?? store.latestScenario(subject.variant);
  if (scenario === null) {
    const close = suggestion(subject.variant, store.variantNames());
    throw new InputError(`tacho history: no kept result has a variant "${subject.variant}"${close}`);
  }
  const { adapter, since } = filter;
  const points = store.history(subject.metric, subject.variant, { scenario, adapter, since }).slice(-limit);
  if (json) writeOut(`${JSON.stringify(points, null, 2)}\n`);
  else if (csv) writeOut(tableCsv(historyTable("", scenario, points)));
  else writeOut(renderHistory(`${subject.metric}.${subject.variant}`, scenario, points, lookOfStdout(color)));
  return await Promise.resolve(ExitStatus.ok);
}

function readSubject(text: string): { metric: string; variant: string } {
  const known = GATE_METRICS.filter((name) => text.startsWith(`${name}.`)).sort((a, b) => b.length - a.length);
  if (known[0] !== undefined && text.length > known[0].length + 1) {
    const { metric, variant } = splitSubject(text, text);
    return { metric: metric.name, variant };
  }
  const bare = GATE_METRICS.includes(text);
  if (bare) throw new InputError(`tacho history: expected a variant behind the metric, such as ${text}.baseline`);
  const [first = ""] = text.split(".");
  throw new InputError(`tacho history: unknown metric "${first}"${suggestion(first, GATE_METRICS)}`);
}
