/// <reference lib="dom" />
import { changesTable, type HistoryChange } from "../../library/kept/history_changes.ts";
import { historyTable, showValue } from "../../library/kept/history_table.ts";
import { type Child, el } from "../../report/html/client/dom.ts";
import { nameText } from "../../report/html/client/names.ts";
import { notes, tableContent } from "../../report/html/client/section.ts";
import type { HistoryPayload } from "../payloads.ts";
import { historyAddress, type HistoryParameters, runAddress } from "./addresses.ts";
import { keepFocus } from "./focus.ts";
import { createFrame, type Frame, part } from "./frame.ts";
import { request } from "./requests.ts";
import { dateText } from "../../library/kept/date_text.ts";
import { formatPercent } from "../../report/format.ts";
import { seriesChart } from "../../report/html/client/chart/series_chart.ts";
import { variantColor } from "../../report/html/client/palette.ts";
import type { HistoryPoint } from "../../store/records.ts";

/** Shows a metric of a variant over the runs of a scenario, which the address names and choosers change. */
export async function historyPage(): Promise<void> {
  const frame = createFrame("History");
  addEventListener("popstate", () => void load(frame));
  await load(frame);
}

async function load(frame: Frame): Promise<void> {
  try {
    const payload = (await request<HistoryPayload>(`/api/history${location.search}`))!;
    const { metric, variant, scenario, points, isCut, problems } = payload;
    frame.setTitle(`${metric} of ${nameText(variant, 60)}`);
    const shown = isCut ? `latest ${points.length}` : points.length;
    frame.setStatus(`${scenario} · ${shown} ${points.length === 1 ? "run" : "runs"}`);
    frame.setProblem(problems.length === 0 ? null : problems.join(". "));
    keepFocus(() => frame.setContent(choosers(frame, payload), ...content(payload)));
  } catch (error) {
    frame.setProblem((error as Error).message);
  }
}

function content(payload: HistoryPayload): Child[] {
  const { metric, variant, scenario, points, changes } = payload;
  if (points.length === 0) return [el("p", { class: "missing" }, "No kept run matches")];
  const subject = `${metric}.${variant}`;
  const about = points.some(({ low }) => low !== null) ? ["whiskers are 95 % intervals"] : [];
  const hints = [...about, "click a point, or read it with the arrow keys and press Enter, to open its run"];
  const chart = historyChart(payload);
  const table = tableContent(historyTable(subject, scenario, points), { cells: { run: (_, id) => runLink(id) } });
  const cells = {
    "last run before": (_: unknown, id: string) => runLink(id),
    "first run after": (_: unknown, id: string) => runLink(id),
  };
  return [
    ...chart === null ? [] : [part("Chart", chart, notes(hints))],
    changes.length === 0
      ? part("Changes", el("p", { class: "missing" }, "No change was found"))
      : part("Changes", ...tableContent(changesTable(subject, changes, points), { cells })),
    part("Runs", ...table),
  ];
}

function runLink(id: string): HTMLElement {
  return el("a", { href: runAddress(id) }, id);
}

/** Returns choosers of scenario, variant, metric and adapter. */
function choosers(frame: Frame, payload: HistoryPayload): HTMLElement {
  const { scenario, variant, metric, adapter, subjects, metrics, adapters } = payload;
  const go = (change: HistoryParameters) => {
    history.pushState(null, "", historyAddress({ scenario, variant, metric, adapter, ...change }));
    void load(frame);
  };
  const variants = subjects.find((subject) => subject.scenario === scenario)?.variants ?? [];
  return el(
    "div",
    { class: "choices" },
    chooser("scenario", subjects.map((subject) => subject.scenario), scenario, (name) => {
      const found = subjects.find((subject) => subject.scenario === name)!;
      const kept = found.variants.includes(variant) ? variant : found.variants[0]!;
      go({ scenario: name, variant: kept, adapter: null });
    }),
    chooser("variant", variants, variant, (name) => go({ variant: name })),
    chooser("metric", metrics, metric, (name) => go({ metric: name })),
    adapters.length < 2 && adapter === null
      ? null
      : chooser("adapter", ["all", ...adapters], adapter ?? "all", (name, i) => go({ adapter: i === 0 ? null : name })),
  );
}

function chooser(
  name: string,
  options: readonly string[],
  chosen: string,
  onChoice: (option: string, index: number) => void,
): HTMLElement {
  const list = el(
    "select",
    { "data-focus": `choose ${name}` },
    ...options.map((option) => el("option", {}, nameText(option, 60))),
  );
  list.selectedIndex = Math.max(0, options.indexOf(chosen));
  list.addEventListener("change", () => onChoice(options[list.selectedIndex]!, list.selectedIndex));
  return el("label", {}, `${name} `, list);
}

/** Returns the chart of a metric over runs, a series for each adapter; null for words, and without a value. */
function historyChart(payload: HistoryPayload): HTMLElement | null {
  const { metric, variant, scenario, points, changes } = payload;
  if (!points.some(({ value }) => typeof value === "number")) return null;
  const own = points.find((point) => point.unit !== "")?.unit ?? "";
  const [scale, unit] = own === "bytes" ? [2 ** -20, "MiB"] : [1, own];
  const adapters = [...new Set(points.map(({ run }) => run.adapter))];
  const places = new Map(points.map(({ run }, i) => [run.id, i + 1]));
  return seriesChart({
    label: `${metric} of ${nameText(variant, 40)} over the runs of ${nameText(scenario, 40)}`,
    x: { name: "run", values: points.map((_, i) => i + 1), text: (x) => runText(points[x - 1], x) },
    unit,
    series: adapters.map((adapter, i) => {
      const chosen = points.map((point) => point.run.adapter === adapter ? point : null);
      return {
        name: adapter === null ? "no adapter" : nameText(adapter, 60),
        values: chosen.map((point) => typeof point?.value === "number" ? point.value * scale : null),
        intervals: chosen.map((point) => {
          const { low = null, high = null } = point ?? {};
          return low === null || high === null ? null : [low * scale, high * scale] as const;
        }),
        color: variantColor(i),
        kind: "points" as const,
      };
    }),
    include: [],
    // A change is between two runs
    marks: changes.map((change) => ({ x: places.get(change.firstAfter)! - 0.5, text: changeText(change) })),
    format: (value) => showValue(value, unit),
    height: 260,
    open: { what: "run", at: (i) => location.assign(runAddress(points[i]!.run.id)) },
  });
}

function runText(point: HistoryPoint | undefined, x: number): string {
  return point === undefined ? String(x) : `${point.run.id}, ${dateText(point.run.started)}`;
}

function changeText({ before, after }: HistoryChange): string {
  const [a, b] = [Number(before), Number(after)];
  if (a === 0) return "change";
  return `${b < a ? "" : "+"}${formatPercent(b / a - 1)} %`;
}
