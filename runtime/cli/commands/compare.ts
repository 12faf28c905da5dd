import { environmentDifferences } from "../../analysis/environment_differences.ts";
import { GATE_METRICS, phaseMetric } from "../../analysis/gates/gate_metrics.ts";
import { compareRuns } from "../../analysis/run_comparison.ts";
import { ExitStatus, InputError } from "../../core/errors.ts";
import { PHASES } from "../../record/phases.ts";
import type { Result } from "../../result/schema.ts";
import { specDifferences } from "../../store/run_spec.ts";
import type { RunRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { names, someOf } from "../flag_values.ts";
import { parseCommand } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { renderComparison, renderDifferences } from "./comparison_table.ts";
import { runHead } from "./run_head.ts";
import { needStore } from "./store_access.ts";

/** Metrics that are compared unless others are named, as far as they were measured. */
const USUAL: readonly string[] = [
  "ips",
  "speedup",
  "batchCost",
  "readerCost",
  "iterationGap",
  ...PHASES.map(({ name }) => phaseMetric(name)),
  "deviceBusy",
  "memory.peak",
  "finalLoss",
  "accuracy",
  "verdict",
];

/** Holds two kept runs against each other. */
export async function run(args: readonly string[]): Promise<number> {
  const command = createCommand({
    name: "compare",
    description: "Holds two kept runs against each other: first what differs around them, then their metrics.",
    examples: [
      ["tacho compare last~1 last", "the run before the last, and the last"],
      ["tacho compare 1m7xt last --metrics ips,forward,backward", "only these metrics"],
      ["tacho compare last~1 last --variants baseline,sink", "only these variants"],
    ],
  })
    .argument("<then>", "the first run: its id, a part of it, last or last~1")
    .argument("<now>", "the second run")
    .option("--metrics <names>", "compare these, separated by commas", someOf("--metrics", GATE_METRICS))
    .option("--variants <names>", "only these, separated by commas", names("--variants"));
  if (!parseCommand(command, args)) return ExitStatus.ok;
  const { store: folder, color, metrics = USUAL, variants } = command.opts();
  using store = needStore(folder);
  const [then, now] = command.processedArgs.map((name) => store.run(store.resolve(name))) as [RunRecord, RunRecord];
  const [a, b] = [resultOf(store, then), resultOf(store, now)];
  const look = lookOfStdout(color);
  const ids = [then.id, now.id] as const;
  const environment = environmentDifferences(a.environment, b.environment);
  const all = compareRuns(a, b, metrics);
  const unknown = variants?.find((variant) => !all.some(({ name }) => name === variant));
  if (unknown !== undefined) {
    throw new InputError(`--variants: neither run has ${unknown}; they have ${all.map(({ name }) => name).join(", ")}`);
  }
  const pairs = all.filter(({ name }) => variants?.includes(name) ?? true);
  writeOut(
    [
      runHead(then) + runHead(now),
      renderDifferences(ids, environment, specDifferences(then.spec, now.spec), look),
      renderComparison(ids, pairs, look),
    ].join("\n"),
  );
  return await Promise.resolve(ExitStatus.ok);
}

function resultOf(store: Store, { id, status }: RunRecord): Result {
  const result = store.result(id);
  if (result !== null) return result;
  throw new InputError(`tacho compare: run ${id} has no result to compare; it is ${status}`);
}
