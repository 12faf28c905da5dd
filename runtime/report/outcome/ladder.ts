import type { Ladder, Rung } from "../../result/schema.ts";
import { changesText, errorText } from "./findings.ts";
import { formatInterval, formatNumber, formatPercent, formatRatio, MISSING } from "../format.ts";
import { type DataColumn, type Page, renderSection, type Section } from "../page.ts";
import { nameInProse, printable } from "../plain_text.ts";

/** The scenario as it was, or one rung above it. */
interface Row {
  readonly rung: Rung | null;
  readonly start: Ladder["start"];
}

const STOPPED: Readonly<Record<Ladder["stoppedBy"], string>> = {
  "no advice": "no advice was left that promised a gain",
  time: "the time was up",
  interrupted: "it was interrupted",
};

/** What was tried rung by rung, and what it brought. */
export function ladderSection(ladder: Ladder): Section<Row> {
  const { start, rungs, total, predictionError, stoppedBy } = ladder;
  const kept = rungs.filter((rung) => rung.kept).length;
  const gain = total === null
    ? `total ${MISSING}`
    : `${formatRatio(total.value)} in total${
      total.low === null || total.high === null ? "" : ` (${formatInterval(total.low, total.high)})`
    }`;
  return {
    title: `Ladder of ${nameInProse(ladder.variant)}: ${gain}, ${kept} of ${rungs.length} rungs kept`,
    columns: COLUMNS,
    rows: [{ rung: null, start }, ...rungs.map((rung): Row => ({ rung, start }))],
    under: ({ rung }) => rung === null ? null : `${rung.kept ? "kept" : "dropped"}: ${rung.reason}`,
    notes: [
      "before -> after; gap: iteration gap in ms; empty: steps that found the host's queue empty",
      predictionError === null
        ? `predictions: ${MISSING}, no rung was measured`
        : `predictions were off by ${errorText(predictionError)} at the median`,
      `ended: ${STOPPED[stoppedBy]}`,
    ],
  };
}

/** The ladder as text, with the patch that makes the script so below it. */
export function renderLadder(page: Page, ladder: Ladder): string[] {
  const patch = ladder.patch === null
    ? ["patch: –, the kept settings cannot be written as one"]
    : ["Patch of the script:", ...ladder.patch.trimEnd().split("\n").map(patchLine)];
  const [title = "", ...rest] = patch;
  const kept = ladder.rungs.some((rung) => rung.kept);
  return [...renderSection(page, ladderSection(ladder)), ...kept ? ["", page.paint(title, "heading"), ...rest] : []];
}

/** Whole, since it is there to be copied; its tabs stay. */
function patchLine(line: string): string {
  return line.split("\t").map(printable).join("\t");
}

const COLUMNS: readonly DataColumn<Row>[] = [
  {
    name: "setting",
    heading: ["setting"],
    align: "left",
    cut: true,
    cell: ({ rung }) => rung === null ? "as it was" : changesText(rung.changes) || rung.name,
  },
  {
    name: "speed",
    heading: ["samples", "/s"],
    align: "right",
    cell: ({ rung, start }) => {
      const state = rung === null ? start : rung.after;
      return state?.ips == null ? null : formatNumber(state.ips.value);
    },
  },
  {
    name: "predicted gain",
    heading: ["gain", "pred."],
    align: "right",
    cell: ({ rung }) => rung === null ? "" : formatRatio(rung.predicted.gain),
  },
  {
    name: "measured gain",
    heading: ["gain", "meas."],
    align: "right",
    cell: ({ rung }) => {
      if (rung === null) return "";
      if (rung.measured === null) return null;
      return { text: formatRatio(rung.measured.speedup.value), tone: rung.kept ? "good" : "bad" };
    },
  },
  {
    name: "interval",
    heading: ["interval"],
    align: "right",
    cell: ({ rung }) => {
      if (rung === null) return "";
      const { low = null, high = null } = rung.measured?.speedup ?? {};
      return low === null || high === null ? null : formatInterval(low, high);
    },
  },
  change("gap", 3, ({ iterationGap }) => iterationGap === null ? MISSING : formatNumber(iterationGap)),
  change("empty %", 2, ({ emptyQueue }) => emptyQueue === null ? MISSING : formatPercent(emptyQueue)),
  change("bound", 4, ({ bound }) => bound ?? MISSING),
];

/** How something was before a rung and after it; once where it stayed. */
function change(name: string, dropFirst: number, of: (state: Ladder["start"]) => string): DataColumn<Row> {
  return {
    name,
    heading: [name],
    align: "left",
    dropFirst,
    cell: ({ rung, start }) => {
      if (rung === null) return of(start);
      const [before, after] = [of(rung.before), rung.after === null ? MISSING : of(rung.after)];
      return before === after ? after : `${before} -> ${after}`;
    },
  };
}
