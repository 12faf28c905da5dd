/// <reference lib="dom" />
import { overviewTable } from "../../library/kept/comparison_overview.ts";
import { type ComparisonRow, comparisonTable, differenceSentences } from "../../library/kept/comparison_table.ts";
import { dateText } from "../../library/kept/date_text.ts";
import { type Child, el } from "../../report/html/client/dom.ts";
import { nameText } from "../../report/html/client/names.ts";
import { notes, tableContent } from "../../report/html/client/section.ts";
import { createTable } from "../../report/html/client/table.ts";
import { type TableSpec, words } from "../../report/spec.ts";
import type { ComparedRun, ComparePayload, RunComparison } from "../payloads.ts";
import { compareAddress, historyAddress, runAddress } from "./addresses.ts";
import { createFrame, part } from "./frame.ts";
import { request } from "./requests.ts";

/** Shows the comparison of the runs that the address names with the first of them. */
export async function comparePage(): Promise<void> {
  const frame = createFrame("Comparison");
  const query = new URLSearchParams(location.search);
  try {
    const payload = (await request<ComparePayload>(`/api/compare?${query}`))!;
    const [reference, ...others] = payload.runs.filter(({ problem }) => problem === null);
    frame.setTitle(titleOf(payload.runs));
    frame.setStatus(
      others.length === 0 ? "" : `${others.map(({ id }) => id).join(", ")} compared with ${reference!.id}`,
    );
    const unread = payload.runs.filter(({ problem }) => problem !== null);
    frame.setProblem(unread.length === 0 ? null : unread.map(({ id, problem }) => `Run ${id}: ${problem}`).join(". "));
    frame.setContent(...content(payload));
  } catch (error) {
    frame.setProblem((error as Error).message);
  }
}

function content({ runs, comparisons }: ComparePayload): Child[] {
  const scenario = runs.find(({ run }) => run !== null)?.run?.scenario ?? null;
  const [first] = comparisons;
  return [
    part("Runs", runsTable(runs)),
    ...comparisons.length < 2
      ? []
      : [part("All runs", ...tableContent(overviewTable(first!.then, comparisons), { cells: metricLinks(scenario) }))],
    ...comparisons.map((comparison) => comparisonPart(comparison, runs, scenario)),
  ];
}

/** Names runs by scenario and date: `mlp, 2026-11-20 08:30, with 2026-11-19 17:04`. */
function titleOf(runs: readonly ComparedRun[]): string {
  let scenario: string | null = null;
  const names = runs.map(({ id, run }) => {
    if (run === null) return id;
    const date = dateText(run.started);
    if (run.scenario === scenario) return date;
    scenario = run.scenario;
    return `${nameText(scenario, 60)}, ${date}`;
  });
  return names.join(", with ");
}

function comparisonPart(
  { then, now, environment, settings, variants }: RunComparison,
  runs: readonly ComparedRun[],
  scenario: string | null,
): HTMLElement {
  const ids = [then, now] as const;
  const differences = differenceSentences(ids, environment, settings);
  const spec = named(comparisonTable(ids, variants));
  return part(
    titleOf(ids.toReversed().map((id) => runs.find((run) => run.id === id)!)),
    differences.length === 0
      ? el("p", { class: "about" }, "Environment and settings are the same")
      : el("div", {}, el("p", { class: "about" }, "Differences between the runs:"), notes(differences)!),
    ...spec.rows.length === 0
      ? [el("p", { class: "missing" }, "No metric to compare was measured")]
      : tableContent(spec, { cells: metricLinks(scenario) }),
  );
}

/** Names the variant in every row, since the reader may sort them. */
function named(spec: TableSpec<ComparisonRow>): TableSpec<ComparisonRow> {
  const variant = words<ComparisonRow>("variant", ({ of }) => of);
  return { ...spec, columns: spec.columns.map((column) => column.name === "variant" ? variant : column) };
}

/** Returns a cell that links a metric to its history in the scenario. */
function metricLinks(scenario: string | null) {
  return {
    metric: ({ of: variant }: { readonly of: string }, metric: string) =>
      scenario === null ? metric : el("a", { href: historyAddress({ scenario, variant, metric }) }, metric),
  };
}

/** Returns the table of the compared runs, with links that change what is compared. */
function runsTable(runs: readonly ComparedRun[]): HTMLElement {
  const ids = runs.map(({ id }) => id);
  const spec: TableSpec<ComparedRun> = {
    title: "Compared runs",
    columns: [
      words("id", ({ id }) => id),
      words("started", ({ run }) => run === null ? null : dateText(run.started)),
      words("scenario", ({ run }) => run?.scenario ?? null),
      words("status", ({ run }) => run?.status ?? null),
      words("adapter", ({ run }) => run?.adapter ?? null),
      words("git commit", ({ run }) => run?.git ?? null, { heading: ["git"] }),
      words("reference", ({ id }) => id === ids[0] ? "reference" : "make reference"),
      ...ids.length > 2 ? [words<ComparedRun>("remove", () => "remove")] : [],
    ],
    rows: runs,
  };
  const table = createTable(spec, {
    cells: {
      id: ({ id }) => el("a", { href: runAddress(id) }, id),
      reference: ({ id }, text) => {
        if (id === ids[0]) return text;
        const others = ids.filter((other) => other !== id);
        return el("a", { href: compareAddress([id, ...others]), "aria-label": `Make ${id} the reference` }, text);
      },
      remove: ({ id }, text) => {
        const others = ids.filter((other) => other !== id);
        return el(
          "a",
          { href: compareAddress(others), "aria-label": `Remove ${id} from the comparison` },
          nameText(text),
        );
      },
    },
  });
  return table.element;
}
