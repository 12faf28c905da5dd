import type { Ladder, Rung } from "../../result/schema.ts";
import { changesText } from "../differences.ts";
import { countedNoun } from "../quantities.ts";
import { formatInterval, formatNumber, formatPercent, formatRatio, MISSING } from "../format.ts";
import { nameInProse } from "../plain_text.ts";
import { type Column, figures, type TableSpec, words } from "../spec.ts";

/** Row of the original scenario (`rung` is null), or of one rung above it. */
export interface LadderRow {
  readonly rung: Rung | null;
  readonly start: Ladder["start"];
}

const STOPPED: Readonly<Record<Ladder["stoppedBy"], string>> = {
  "no advice": "no advice left that predicts a gain",
  time: "time limit reached",
  interrupted: "interrupted",
};

/** Returns the table of the settings that were tried, rung by rung, with their gains. */
export function ladderTable(ladder: Ladder): TableSpec<LadderRow> {
  const { start, rungs, total, predictionError, stoppedBy } = ladder;
  const kept = rungs.filter((rung) => rung.kept).length;
  const interval = total === null ? null : intervalText(total);
  const gain = total === null
    ? `total ${MISSING}`
    : `${formatRatio(total.value)} in total${interval === null ? "" : ` (${interval})`}`;
  return {
    title: `Ladder of ${nameInProse(ladder.variant)}: ${gain}, ${kept} of ${rungs.length} rungs kept`,
    columns: columns(countedNoun([{ metrics: start }])),
    rows: [{ rung: null, start }, ...rungs.map((rung): LadderRow => ({ rung, start }))],
    notes: [
      "before -> after; gap: iteration gap in ms; empty: share of steps that found the host queue empty",
      predictionError === null
        ? `predictions: ${MISSING}, no rung was measured`
        : `median error of predictions: ${formatPercent(predictionError)} %`,
      `ended: ${STOPPED[stoppedBy]}`,
    ],
  };
}

const columns = (noun: ReturnType<typeof countedNoun>): readonly Column<LadderRow>[] => [
  words("setting", ({ rung }) => rung === null ? "as it was" : changesText(rung.changes) || rung.name, { cut: true }),
  figures("speed", ({ rung, start }) => (rung === null ? start : rung.after)?.ips?.value ?? null, {
    heading: [`${noun}s`, "/s"],
  }),
  ofRung("predicted gain", ["gain", "pred."], ({ predicted }) => predicted.gain),
  {
    ...ofRung("measured gain", ["gain", "meas."], ({ measured }) => measured?.speedup.value ?? null),
    tone: ({ rung }) => rung === null ? null : rung.kept ? "good" : "bad",
  },
  words("interval", ({ rung }) => rung === null ? "" : intervalText(rung.measured?.speedup), {
    align: "right",
    sort: ({ rung }) => rung?.measured?.speedup.low ?? null,
  }),
  change("gap", 3, ({ iterationGap }) => iterationGap === null ? MISSING : formatNumber(iterationGap)),
  change("empty %", 2, ({ emptyQueue }) => emptyQueue === null ? MISSING : formatPercent(emptyQueue)),
  change("bound", 4, ({ bound }) => bound ?? MISSING),
  words("because of", ({ rung }) => rung === null ? "" : rung.finding, { only: "data" }),
  words("remark", remark, { below: ({ rung }) => rung === null ? null : remark({ rung }) }),
];

function remark({ rung }: Pick<LadderRow, "rung">): string {
  return rung === null ? "" : `${rung.kept ? "kept" : "dropped"}: ${rung.reason}`;
}

/** Returns a column of ratios, empty for the original scenario. */
function ofRung(name: string, heading: readonly string[], value: (rung: Rung) => number | null): Column<LadderRow> {
  return {
    name,
    heading,
    align: "right",
    value: ({ rung }) => rung === null ? "" : value(rung),
    text: ({ rung }) => rung === null ? "" : formatRatio(value(rung)!),
  };
}

function intervalText(of: { readonly low: number | null; readonly high: number | null } | undefined): string | null {
  const { low = null, high = null } = of ?? {};
  return low === null || high === null ? null : formatInterval(low, high);
}

/** Returns a column of values before and after a rung; one value where it did not change. */
function change(name: string, dropFirst: number, of: (state: Ladder["start"]) => string): Column<LadderRow> {
  return words(name, ({ rung, start }) => {
    if (rung === null) return of(start);
    const [before, after] = [of(rung.before), rung.after === null ? MISSING : of(rung.after)];
    return before === after ? after : `${before} -> ${after}`;
  }, { dropFirst });
}
