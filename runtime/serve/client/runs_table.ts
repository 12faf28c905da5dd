import { runsTable } from "../../library/kept/run_table.ts";
import type { Column, TableSpec } from "../../report/spec.ts";
import { words } from "../../report/spec.ts";
import type { ListedRun, RunSummary } from "../../store/records.ts";

/** Order of verdicts in print. */
const VERDICTS = ["faster", "slower", "same", "unclear", "invalid"];

/** Table of listed runs: the columns of `tacho runs`, then those for which a terminal has no room. */
export function listTable(runs: readonly ListedRun[]): TableSpec<ListedRun> {
  const common = runsTable("", []).columns.filter(({ name }) => name !== "id").map(lifted);
  return {
    title: "Kept runs",
    columns: [
      words("id", ({ id }) => id),
      ...common.map((column) => column.name === "status" ? statusColumn(column) : column),
      words("verdicts", verdictsText),
      words("adapter", ({ run }) => run?.adapter ?? null),
      words("git commit", ({ run }) => run?.git ?? null, { heading: ["git"], minor: true }),
      words("command", ({ run }) => run === null ? null : [run.script ?? "", ...run.args].join(" ").trim(), {
        minor: true,
      }),
      words("problem", problemOf, { minor: true }),
    ],
    rows: runs,
  };
}

/** Returns why a run failed or cannot be read; null for others. */
export function problemOf({ run, problem }: ListedRun): string | null {
  return problem ?? run?.message ?? null;
}

/** Text in which the search box of the list looks. */
export function searchedText(listed: ListedRun): string {
  const { id, run, problem } = listed;
  const own = run === null ? [] : [run.scenario, run.script, ...run.args, run.adapter, run.git, run.best, run.message];
  return [id, statusText(listed), verdictsText(listed), problem, ...own].join(" ");
}

/** Formats the status of a run, with the rounds of one that is not complete. */
export function statusText({ run, rounds }: ListedRun): string {
  if (run === null) return "damaged";
  if (rounds === 0 || run.status === "complete") return run.status;
  return `${run.status}, ${rounds === 1 ? "1 round" : `${rounds} rounds`}`;
}

function verdictsText({ verdicts }: ListedRun): string {
  return VERDICTS.flatMap((verdict) => verdicts[verdict] === undefined ? [] : [`${verdicts[verdict]} ${verdict}`]).join(
    ", ",
  );
}

function statusColumn(column: Column<ListedRun>): Column<ListedRun> {
  return {
    ...column,
    value: statusText,
    text: statusText,
    tone: (listed) => listed.run === null ? "bad" : column.tone?.(listed) ?? null,
  };
}

/** Makes a column of runs one of listed runs, in which damaged rows have no value. */
function lifted(
  { value, text, sort, mark, tone, depth: _depth, below: _below, ...column }: Column<RunSummary>,
): Column<ListedRun> {
  return {
    ...column,
    value: ({ run }) => run === null ? null : value(run),
    ...text === undefined ? {} : { text: ({ run }, room) => text(run!, room) },
    ...sort === undefined ? {} : { sort: ({ run }) => run === null ? null : sort(run) },
    ...mark === undefined ? {} : { mark: ({ run }) => run === null ? null : mark(run) },
    ...tone === undefined ? {} : { tone: ({ run }) => run === null ? null : tone(run) },
  };
}
