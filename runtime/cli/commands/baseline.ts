import { InputError } from "../../core/errors.ts";
import { suggestion } from "../../core/nearest.ts";
import { dateText } from "../../library/kept/date_text.ts";
import { createPage, renderRows } from "../../report/page.ts";
import { type TableSpec, words } from "../../report/spec.ts";
import { storeFolder } from "../../store/folder.ts";
import { openStore, type Store } from "../../store/store.ts";
import { runOf } from "../parse_command.ts";
import { lookOfStdout, writeOut } from "../terminal.ts";
import { createCommand } from "./command.ts";
import { findStore, needStore, nothingKept } from "./store_access.ts";

const ACTIONS = ["set", "clear"] as const;

export const define = () =>
  createCommand({
    name: "baseline",
    description:
      "Sets, lists and clears baselines, the runs that gates refer to as @baseline: one per scenario and adapter. " +
      "Baselines are never pruned.",
    examples: [
      ["tacho baseline", "list the baselines"],
      ["tacho baseline set", "make the last run the baseline of its scenario on its adapter"],
      ["tacho baseline set k3f2", "make another run the baseline"],
      ["tacho baseline clear lenet", "clear the baselines of a scenario on all adapters"],
    ],
  })
    .argument("[action]", "set or clear (default: list)")
    .argument("[name]", "set: ID of a run (default: last); clear: a run or a scenario (default: all)");

/** Sets, lists and clears the runs that gates compare with. */
export const run = runOf(define, ({ store: folder, color }, [action, name]) => {
  switch (action) {
    case undefined:
      list(folder, color);
      break;
    case "set":
      set(folder, name ?? "last");
      break;
    case "clear":
      clear(folder, name);
      break;
    default:
      throw new InputError(`baseline: unknown action "${action}"${suggestion(action, ACTIONS)}`);
  }
});

function list(folder: string | undefined, color: boolean): void {
  using store = findStore(folder);
  if (store === null) return writeOut(`${nothingKept(folder)}\n`);
  const baselines = store.baselines();
  if (baselines.length === 0) return writeOut('No baselines; "tacho baseline set" makes the last run one\n');
  const rows = baselines.map((baseline) => ({ ...baseline, started: store.run(baseline.run).started }));
  const page = { ...createPage(lookOfStdout(color)), drop: false };
  writeOut(`${renderRows(page, baselinesTable(rows)).lines.join("\n")}\n`);
}

interface BaselineRow {
  readonly scenario: string;
  readonly run: string;
  readonly started: number;
  readonly adapter: string | null;
}

/** Table of the baselines of scenarios. */
export function baselinesTable(rows: readonly BaselineRow[]): TableSpec<BaselineRow> {
  return {
    title: "Baselines",
    columns: [
      words("scenario", ({ scenario }) => scenario),
      words("run", ({ run }) => run),
      words("started", ({ started }) => dateText(started)),
      words("adapter", ({ adapter }) => adapter),
    ],
    rows,
  };
}

function set(folder: string | undefined, name: string): void {
  using store = openExisting(folder);
  const id = store.resolve(name);
  const { status, scenario, adapter } = store.run(id);
  if (store.result(id) === null) {
    throw new InputError(`Run ${id} is ${status} and has no result; a baseline needs one`);
  }
  store.setBaseline(scenario, adapter, id);
  writeOut(`Run ${id} is the baseline of ${scenario} on ${adapter ?? "no adapter"}\n`);
}

function clear(folder: string | undefined, name: string | undefined): void {
  using store = openExisting(folder);
  const all = store.baselines();
  const isScenario = all.some(({ scenario }) => scenario === name);
  const id = name === undefined || isScenario ? null : store.resolve(name);
  const gone = all.filter(({ scenario, run }) => name === undefined || (isScenario ? scenario === name : run === id));
  for (const { scenario, adapter } of gone) store.setBaseline(scenario, adapter, null);
  if (gone.length > 0) {
    return writeOut(gone.map(({ scenario, run }) => `${scenario}: ${run} is no longer the baseline\n`).join(""));
  }
  writeOut(name === undefined ? "There are no baselines\n" : `${id ?? name} is not a baseline\n`);
}

/** Opens an existing store for writing. */
function openExisting(folder: string | undefined): Store {
  needStore(folder).close();
  return openStore(storeFolder(folder));
}
