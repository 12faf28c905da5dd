import { ExitStatus, InputError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { tableCsv } from "../../report/csv.ts";
import { TABLE_NAMES, tablesNamed } from "../../report/tables.ts";
import type { Result } from "../../result/schema.ts";
import type { RunRecord } from "../../store/records.ts";
import type { Store } from "../../store/store.ts";
import { showAttached } from "../attach/kept.ts";
import { oneOf } from "../flag_values.ts";
import { GATE, GATE_UNDECIDED } from "../gate_flags.ts";
import { readGates } from "../../library/read_gates.ts";
import { reportGates } from "../gates.ts";
import { checkTarget, STDOUT, writeJson } from "../json_output.ts";
import { runOf } from "../parse_command.ts";
import { profileView } from "../profile_view.ts";
import { resultText } from "../result_text.ts";
import { writeOut } from "../terminal.ts";
import { ADVICE, DIFF, DIFF_BY, EXPLAIN, GROUP_BY, LOG, PIPELINE, RAW, SORT, TOP, VERBOSITY } from "../view_flags.ts";
import { createCommand } from "./command.ts";
import { runHead } from "./render_kept.ts";
import { needStore } from "./store_access.ts";

export const define = () =>
  createCommand({
    name: "show",
    description: "Prints the matrix of a kept run again, and other measurements on request.",
    examples: [
      ["tacho show last", "print the latest run"],
      ["tacho show 1m7x --verbosity 2", "print another run with its op times, if they were profiled"],
      ["tacho show last --diff baseline amp", "compare the ops of two variants"],
      ["tacho show 4k2p", "print the report of an attached program by its ID"],
      ["tacho show last --raw", "print every block"],
      ["tacho show last --json result.json", "write the whole result as JSON"],
      ["tacho show last --csv ops", "print the figures of a table as CSV"],
      ["tacho show last --source", "print the original script and its imports"],
      ['tacho show last --gate "speedup.sink>=1.1"', "check a gate"],
    ],
  })
    .argument("[run]", "ID of the run, a part of it, last or last~1", "last")
    .addOption(VERBOSITY)
    .addOption(LOG)
    .addOption(GROUP_BY)
    .addOption(SORT)
    .addOption(TOP)
    .addOption(PIPELINE)
    .addOption(RAW)
    .addOption(ADVICE)
    .addOption(EXPLAIN)
    .addOption(DIFF)
    .addOption(DIFF_BY)
    .addOption(GATE)
    .addOption(GATE_UNDECIDED)
    .option("--source", "print only the script and its imports")
    .option("--csv <table>", `print a table as CSV: ${TABLE_NAMES.join(", ")}`, oneOf("--csv", TABLE_NAMES))
    .option("--json <file>", "write the whole result as JSON; - for stdout, without other output");

/** Prints a kept run again, as its script printed it or with other flags. */
export const run = runOf(
  define,
  async ({ store: folder, json, csv, source = false, pipeline = false, gate, gateUndecided, ...flags }, [name]) => {
    const chosen = {
      raw: flags.raw || undefined,
      advice: flags.advice || undefined,
      explain: flags.explain || undefined,
    };
    const view = { ...flags, ...chosen, pipeline };
    profileView(view); // throws if flags contradict each other
    if (json !== undefined) await checkTarget(json);
    using store = needStore(folder);
    if (store.isAttached(name)) {
      const flag = ([["--source", source], ["--csv", csv], ["--gate", gate], ["--raw", flags.raw]] as const)
        .find(([, value]) => value !== undefined && value !== false);
      if (flag !== undefined) throw new InputError(`${flag[0]}: "${name}" is an attached program, which has none`);
      showAttached(store, name, { top: flags.top, json, color: flags.color });
      return;
    }
    const kept = store.run(store.resolve(name));
    if (source) return printSource(kept);
    const result = store.result(kept.id);
    if (result === null) {
      return withoutResult(store, kept, [
        json === undefined ? "" : "--json",
        csv === undefined ? "" : "--csv",
        gate ? "--gate" : "",
      ]);
    }
    if (csv !== undefined) return printTable(csv, result);
    const gates = gate === undefined ? null : await readGates(gate, {
      scenario: result.scenario.name,
      variants: result.variants.map(({ name }) => name),
      adapter: () => Promise.resolve(result.environment.adapter?.name ?? null),
      store: folder,
      run: kept.id,
    });
    if (json !== STDOUT) writeOut(`${runHead(kept)}\n${resultText(result, view)}`);
    if (json !== undefined) writeJson(json, result);
    return gates === null ? ExitStatus.ok : reportGates(gates, result, { json, color: flags.color, gateUndecided });
  },
);

/** Tables of several variants stand below each other, since their columns may differ. */
function printTable(name: string, result: Result): number {
  writeOut(tablesNamed(name, result).map(tableCsv).join("\n"));
  return ExitStatus.ok;
}

function printSource({ id, modules }: RunRecord): number {
  if (modules.length === 0) throw new InputError(`Run ${id}: its script was not kept, since it is not a local file`);
  for (const [i, { path, text: kept }] of modules.entries()) {
    const text = kept.replace(/^\ufeff/, "");
    writeOut(`${i === 0 ? "" : "\n"}// ${printable(path)}\n${text}${text.endsWith("\n") ? "" : "\n"}`);
  }
  return ExitStatus.ok;
}

/** Prints the state of a run without a result. */
function withoutResult(store: Store, kept: RunRecord, asked: readonly string[]): number {
  const flag = asked.find((name) => name !== "");
  const count = store.roundCount(kept.id);
  const rounds = count === 1 ? "1 complete round" : `${count} complete rounds`;
  const next = kept.status === "running" ? "it is still running" : `"tacho resume ${kept.id}" continues it`;
  const words = `no result yet, ${rounds} kept; ${next}`;
  if (flag !== undefined) throw new InputError(`${flag}: run ${kept.id} has ${words}`);
  writeOut(`${runHead(kept)}\nN${words.slice(1)}\n`);
  return ExitStatus.ok;
}
