import { DEFAULT_METRICS } from "../../analysis/gates/default_metrics.ts";
import { GATE_METRICS } from "../../analysis/gates/gate_metrics.ts";
import { comparisonOf } from "../../library/comparison_of.ts";
import { InputError } from "../../core/errors.ts";
import { compareKept } from "../../library/kept/compare_kept.ts";
import type { Result } from "../../result/schema.ts";
import type { RunRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { names, someOf } from "../flag_values.ts";
import { STDOUT, writeJson } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { renderComparison, renderDifferences, runHead } from "./render_kept.ts";
import { needStore } from "./store_access.ts";

export const define = () =>
  createCommand({
    name: "compare",
    description: "Compares two kept runs: first the differences of environment and settings, then the metrics.",
    examples: [
      ["tacho compare last~1 last", "compare the last two runs"],
      ["tacho compare 1m7xt last --metrics ips,forward,backward", "compare only these metrics"],
      ["tacho compare last~1 last --variants baseline,sink", "compare only these variants"],
    ],
  })
    .argument("<then>", "first run: its ID, a part of it, last or last~1")
    .argument("<now>", "second run")
    .option("--metrics <names>", "compare only these metrics, separated by commas", someOf("--metrics", GATE_METRICS))
    .option("--variants <names>", "compare only these variants, separated by commas", names("--variants"))
    .option("--json", "print JSON");

/** Compares two kept runs. */
export const run = runOf(
  define,
  async ({ store: folder, color, metrics = DEFAULT_METRICS, variants, json = false }, names) => {
    using store = needStore(folder);
    const [then, now] = names.map((name) => store.run(store.resolve(name))) as [RunRecord, RunRecord];
    const [a, b] = [resultOf(store, then), resultOf(store, now)];
    const look = lookOfStdout(color);
    const ids = [then.id, now.id] as const;
    const { environment, settings, variants: all } = compareKept(
      { run: then, result: a },
      { run: now, result: b },
      metrics,
    );
    const unknown = variants?.find((variant) => !all.some(({ name }) => name === variant));
    if (unknown !== undefined) {
      throw new InputError(
        `--variants: neither run has ${unknown}; they have ${all.map(({ name }) => name).join(", ")}`,
      );
    }
    if (json) {
      const compared = comparisonOf(a, b, { metrics });
      const chosen = compared.variants.filter(({ name }) => variants?.includes(name) ?? true);
      await writeJson(STDOUT, { then: then.id, now: now.id, ...compared, settings, variants: chosen });
      return;
    }
    const pairs = all.filter(({ name }) => variants?.includes(name) ?? true);
    writeOut(
      [
        runHead(then) + runHead(now),
        renderDifferences(ids, environment, settings, look),
        renderComparison(ids, pairs, look),
      ].join("\n"),
    );
  },
);

function resultOf(store: Store, { id, status }: RunRecord): Result {
  const result = store.result(id);
  if (result !== null) return result;
  throw new InputError(`tacho compare: run ${id} is ${status} and has no result to compare`);
}
