import {
  type DiffRow,
  type DiffSum,
  type DiffVerdict,
  isChanged,
  type OpDiff,
} from "../../analysis/op_diff/op_diff.ts";
import type { DiffUnit } from "../../analysis/op_diff/side.ts";
import type { Tone } from "../color.ts";
import { formatCounted, formatNumber, formatPercent, formatProbability, formatRatio, MISSING } from "../format.ts";
import { nameInProse } from "../plain_text.ts";
import { type Column, figures, names, type TableSpec, words } from "../spec.ts";
import { timeUnit } from "../quantities.ts";

const TONES: Readonly<Record<DiffVerdict, Tone | null>> = {
  slower: "bad",
  faster: "good",
  new: "warning",
  gone: "warning",
  same: null,
  unknown: null,
};

/** Width of the columns beside the op's name in a terminal, with their gaps. */
const OTHER_COLUMNS = 66;

export interface DiffTableOptions {
  readonly by: DiffUnit;
  /** Number of rows to show; rows that changed are all shown. Null for all. */
  readonly top: number | null;
}

/** Returns the table of differences by op or kernel, the changed ones first. */
export function diffTable(diff: OpDiff, { by, top }: DiffTableOptions): TableSpec<DiffRow> {
  const changed = diff.rows.filter(isChanged).length;
  const rows = top === null ? diff.rows : diff.rows.slice(0, Math.max(top, changed));
  const [a, b] = diff.labels.map((label) => nameInProse(label));
  const hidden = diff.rows.length - rows.length;
  return {
    title: `Difference by ${by}: ${b} (B) against ${a} (A), ${
      changed === 0 ? `no ${by} changed` : `${changed} of ${formatCounted(diff.rows.length, by)} changed`
    }`,
    columns: columns(by, diff.rows),
    rows,
    notes: [
      ...hidden > 0 ? [`not shown: ${formatCounted(hidden, by)} without a change`] : [],
      ...diffNotes(diff, by),
    ],
  };
}

/** Returns the table of the parts of the step, which add up to its change. */
export function diffSumsTable({ sums }: OpDiff): TableSpec<DiffSum> {
  const [unit, scale] = timeUnit(sums.flatMap(({ a, b }) => [a, b]));
  const scaled = (ms: number) => ms * scale;
  return {
    title: "Change of the step",
    columns: [
      words("part", ({ name }) => name),
      figures("A", ({ a }) => scaled(a), { heading: ["A", unit], unit }),
      figures("B", ({ b }) => scaled(b), { heading: ["B", unit], unit }),
      figures("change", ({ change }) => scaled(change), { heading: ["change", unit], unit, format: signed }),
    ],
    rows: sums,
    notes: sums.length > 1 && Math.min(sums[1]!.a, sums[1]!.b) < 0
      ? [`the rest is negative: with a pass for each dispatch, they take longer than in the measured steps`]
      : [],
  };
}

function columns(by: DiffUnit, rows: readonly DiffRow[]): Column<DiffRow>[] {
  const [unit, scale] = timeUnit(rows.flatMap(({ a, b }) => [a, b]));
  const scaled = (ms: number | null) => ms === null ? null : ms * scale;
  return [
    names(by, ({ name }) => name, { beside: OTHER_COLUMNS }),
    ...by === "op" && rows.some(({ phase }) => phase !== null)
      ? [words<DiffRow>("phase", ({ phase }) => phase, { dropFirst: 2 })]
      : [],
    figures("A", ({ a }) => scaled(a), { heading: ["A", unit], unit }),
    figures("B", ({ b }) => scaled(b), { heading: ["B", unit], unit }),
    figures("change", ({ change }) => scaled(change), {
      heading: ["change", unit],
      unit,
      format: signed,
      tone: ({ verdict }) => TONES[verdict],
    }),
    words("interval", ({ interval }) => {
      return interval === null ? null : `${signed(interval.low * scale)} to ${signed(interval.high * scale)}`;
    }, { heading: ["95 % interval"], align: "right", sort: ({ interval }) => interval?.low ?? null }),
    figures("ratio", ({ ratio }) => ratio, { heading: ["B / A"], format: formatRatio }),
    figures("p", ({ adjustedP }) => adjustedP, { format: formatProbability, dropFirst: 1 }),
    words("verdict", ({ verdict }) => verdict === "unknown" ? null : verdict, {
      tone: ({ verdict }) => TONES[verdict],
    }),
    ...rows.some((row) => kernelText(row) !== row.name)
      ? [
        words<DiffRow>(by === "op" ? "kernel" : "code", kernelText, {
          below: (row) => isChanged(row) ? kernelText(row) : null,
        }),
      ]
      : [],
  ];
}

/** Returns the kernel, or both where they differ. */
function kernelText({ kernels: [a, b] }: DiffRow): string | null {
  return a === null || b === null || a === b ? a ?? b : `${a} -> ${b}`;
}

function diffNotes({ rows, machine, inTurns }: OpDiff, by: DiffUnit): string[] {
  const untested = rows.filter(({ verdict }) => verdict === "unknown").length;
  return [
    `times: medians over the timed steps, per step, with the ratio of ${
      inTurns ? "the two steps of each round" : "two processes"
    }; change: B - A`,
    "p: no change beyond that of the machine; corrected for the number of tests (Benjamini-Hochberg)",
    machine === null
      ? `change of the machine: ${MISSING}, too few ${by}s run the same code on the same shapes` +
        (inTurns ? "" : "; taken as ±22 % between the two processes")
      : `change of the machine: ${formatRatio(Math.exp(machine.log))}, ±${
        formatPercent(Math.expm1(machine.spread))
      } % ` +
        `between ${by}s, from ${machine.items} that run the same code on the same shapes`,
    ...untested > 0 ? [`without a verdict: ${formatCounted(untested, by)} with fewer than 3 timed steps`] : [],
  ];
}

function signed(value: number): string {
  return `${value > 0 ? "+" : ""}${formatNumber(value)}`;
}
