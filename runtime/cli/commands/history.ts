import { GATE_METRICS, splitSubject } from "../../analysis/gates/gate_metrics.ts";
import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { changesTable, findChanges } from "../../library/kept/history_changes.ts";
import { historyTable } from "../../library/kept/history_table.ts";
import { tableCsv } from "../../report/csv.ts";
import { moment, wholeNumber } from "../flag_values.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { renderChanges, renderHistory } from "./render_kept.ts";
import { leftOut, needStore } from "./store_access.ts";

/** Default number of runs. */
const DEFAULT_LIMIT = 30;

/** Default number of runs with `--changes`, which needs more of them. */
const CHANGES_LIMIT = 200;

export const define = () =>
  createCommand({
    name: "history",
    description: "Shows a metric of a variant over the kept runs of a scenario, the earliest first.",
    examples: [
      ["tacho history ips.baseline", "show the throughput in samples per second"],
      ["tacho history speedup.sink --scenario lenet", "show the speed-up in one scenario"],
      ["tacho history memory.peak.amp --since 30d", "show the peak memory over the last 30 days"],
      ["tacho history batchCost.baseline --changes", "find when the step became slower, and what changed then"],
      ["tacho history verdict.sink --limit 10", "show the verdicts of the last 10 runs"],
    ],
  })
    .argument("<metric.variant>", "metric of --gate and variant, such as ips.baseline")
    .option("--scenario <name>", "scenario of the runs (default: that of the latest run with this variant)")
    .option("--adapter <name>", "select runs on adapters with this in their name")
    .option("--since <when>", "select runs started since then: an age such as 30d, or a date", moment("--since"))
    .option(
      "--limit <n>",
      `show at most this many runs, the latest (default: ${DEFAULT_LIMIT})`,
      wholeNumber("--limit", 1),
    )
    .option("--changes", `find changes (default limit: ${CHANGES_LIMIT}) with their commits and environments`)
    .option("--json", "print JSON")
    .option("--csv", "print CSV");

/** Shows a metric over the kept runs. */
export const run = runOf(
  define,
  async ({ store: folder, json = false, csv = false, color, changes = false, scenario: named, ...filter }, [name]) => {
    const { limit = changes ? CHANGES_LIMIT : DEFAULT_LIMIT } = filter;
    const subject = readSubject(name);
    using store = needStore(folder);
    const scenario = named ?? store.latestScenario(subject.variant);
    if (scenario === null) {
      const close = suggestion(subject.variant, store.variantNames());
      throw new InputError(`tacho history: no kept run has a variant "${subject.variant}"${close}`);
    }
    const { adapter, since } = filter;
    const selected = { scenario, adapter, since };
    const points = store.history(subject.metric, subject.variant, selected, leftOut).slice(-limit);
    if (changes) {
      const found = findChanges(subject.metric, points, (id) => store.run(id).environment);
      const head = `${subject.metric}.${subject.variant} of ${scenario}`;
      if (json) await writeJson(STDOUT, { points, changes: found });
      else if (csv) writeOut(tableCsv(changesTable("", found, points)));
      else writeOut(renderChanges(head, found, points, lookOfStdout(color)));
      return;
    }
    if (json) await writeJson(STDOUT, points);
    else if (csv) writeOut(tableCsv(historyTable("", scenario, points)));
    else writeOut(renderHistory(`${subject.metric}.${subject.variant}`, scenario, points, lookOfStdout(color)));
  },
);

function readSubject(text: string): { metric: string; variant: string } {
  const known = GATE_METRICS.filter((name) => text.startsWith(`${name}.`)).sort((a, b) => b.length - a.length);
  if (known[0] !== undefined && text.length > known[0].length + 1) {
    const { metric, variant } = splitSubject(text, text);
    return { metric: metric.name, variant };
  }
  const bare = GATE_METRICS.includes(text);
  if (bare) throw new InputError(`tacho history: expected a variant after the metric, such as ${text}.baseline`);
  const [first = ""] = text.split(".");
  throw new InputError(`tacho history: unknown metric "${first}"${suggestion(first, GATE_METRICS)}`);
}
