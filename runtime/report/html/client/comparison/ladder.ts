/// <reference lib="dom" />
import type { Change, Comparison, Ladder, Rung } from "../../../../result/schema.ts";
import { formatPercent, MISSING } from "../../../format.ts";
import type { Overview } from "../../embedded.ts";
import { copyButton } from "../clipboard.ts";
import { el } from "../dom.ts";
import { type Interval, IntervalPlot } from "../chart/interval_plot.ts";
import { nameText } from "../names.ts";
import { estimateText, numberText, percentText, ratioText } from "../numbers.ts";
import { hrefOf } from "../route.ts";
import { facts, type Section } from "../section.ts";
import { createTable } from "../table.ts";

/** The settings that were tried one after the other, each measured against the one below. */
export function ladderSection({ ladder, variants }: Overview): Section {
  const base = { anchor: "ladder", title: "Tuning ladder" };
  if (ladder === null) return { ...base, content: "no tuning was asked for (--tune)" };
  const cites = new Set(variants.find(({ name }) => name === ladder.variant)?.findings.map(({ kind }) => kind));
  return {
    ...base,
    about: `From ${nameText(ladder.variant)} upwards; a rung that brings nothing is not kept`,
    content: [totals(ladder), rungs(ladder, cites), patch(ladder)],
  };
}

function totals({ start, total, predictionError, stoppedBy }: Ladder): HTMLElement {
  return facts([
    ["Start", `${numberText(start.ips?.value)} ${start.ips?.unit ?? ""}`],
    ["All rungs", total === null ? MISSING : `×${estimateText(total.value, total.low, total.high)}`],
    ["Predictions off by", predictionError === null ? MISSING : `${formatPercent(predictionError)} % (median)`],
    ["Stopped by", stoppedBy],
  ]);
}

function rungs(ladder: Ladder, cites: ReadonlySet<string>): HTMLElement {
  const plot = new IntervalPlot(
    ladder.rungs.flatMap(({ measured }) => measured === null ? [] : [intervalOf(measured)]),
  );
  return createTable<Rung>({
    caption: "Rungs of the ladder",
    columns: [
      { title: "rung", align: "left", value: ({ name }) => nameText(name) },
      { title: "changes", align: "left", breakable: true, value: ({ changes }) => changesText(changes) },
      {
        title: "because of",
        align: "left",
        value: ({ finding }) => finding,
        show: ({ finding }) =>
          cites.has(finding)
            ? el("a", { href: hrefOf({ variant: ladder.variant, anchor: `finding:${finding}` }) }, nameText(finding))
            : nameText(finding),
      },
      {
        title: "predicted",
        value: ({ predicted }) => predicted.gain,
        show: ({ predicted }) =>
          el("span", { title: nameText(predicted.reasoning, 400) }, `×${ratioText(predicted.gain)}`),
      },
      {
        title: "measured",
        align: "left",
        value: ({ measured }) => measured?.speedup.value ?? null,
        show: ({ measured }) =>
          measured &&
          plot.row(
            intervalOf(measured),
            `Measured ${estimateText(measured.speedup.value, measured.speedup.low, measured.speedup.high)}`,
          ),
        under: () => plot.axis(),
      },
      {
        title: "×",
        value: ({ measured }) => measured?.speedup.value ?? null,
        show: ({ measured }) =>
          measured && estimateText(measured.speedup.value, measured.speedup.low, measured.speedup.high),
      },
      {
        title: "kept",
        align: "left",
        value: keptText,
        show: (rung) => el("span", { class: "prose" }, keptText(rung)),
      },
      {
        title: "speed before",
        value: ({ before }) => before.ips?.value ?? null,
        show: ({ before }) => numberText(before.ips?.value),
      },
      {
        title: "after",
        value: ({ after }) => after?.ips?.value ?? null,
        show: ({ after }) => numberText(after?.ips?.value),
      },
      {
        title: "gap before → after",
        unit: "ms",
        value: ({ after }) => after?.iterationGap ?? null,
        show: ({ before, after }) => `${numberText(before.iterationGap)} → ${numberText(after?.iterationGap)}`,
      },
      {
        title: "queue empty",
        value: ({ after }) => after?.emptyQueue ?? null,
        show: ({ before, after }) => `${percentText(before.emptyQueue)} → ${percentText(after?.emptyQueue)}`,
      },
      {
        title: "bound",
        align: "left",
        value: ({ before, after }) => `${before.bound ?? MISSING} → ${after?.bound ?? MISSING}`,
      },
    ],
    rows: ladder.rungs,
  }).element;
}

function keptText({ kept, reason }: Rung): string {
  return `${kept ? "kept" : "not kept"}: ${nameText(reason, 200)}`;
}

function intervalOf({ speedup, band }: Comparison): Interval {
  return { ...speedup, band, tone: null };
}

/** `loader.numWorkers 0 → 2`. */
export function changesText(changes: readonly Change[]): string {
  return changes.map(({ path, from, to }) => `${nameText(path)} ${plain(from)} → ${plain(to)}`).join(", ");
}

function plain(value: unknown): string {
  return nameText(typeof value === "string" ? value : JSON.stringify(value) ?? MISSING, 60);
}

function patch({ patch, rungs }: Ladder): HTMLElement {
  if (patch === null || !rungs.some(({ kept }) => kept)) {
    const why = rungs.some(({ kept }) => kept)
      ? "the kept settings cannot be written as a patch to the script"
      : "no rung was kept, so that the script stays as it is";
    return el("p", { class: "missing" }, `${MISSING} ${why}`);
  }
  return el(
    "details",
    { class: "data" },
    el("summary", {}, "Patch to the script"),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Patch" }, el("pre", {}, patch)),
    copyButton("the patch", () => patch),
  );
}
