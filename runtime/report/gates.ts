import type { Comparand } from "../analysis/gates/compare_readings.ts";
import type { GateState } from "../analysis/gates/decide.ts";
import type { GateOutcome } from "../analysis/gates/evaluate_gates.ts";
import type { EnvironmentDifference } from "../analysis/environment_differences.ts";
import type { Tone } from "./color.ts";
import { formatCount, formatCounted, formatLoss, formatNumber, formatPercent, MISSING } from "./format.ts";
import { createPage, droppedNote, type LookOptions, quiet, renderRows } from "./page.ts";
import { formatBytes } from "./quantities.ts";
import { type TableSpec, words } from "./spec.ts";
import { wrap } from "./wrap.ts";

const WORDS: Readonly<Record<GateState, { text: string; tone: Tone }>> = {
  pass: { text: "holds", tone: "good" },
  fail: { text: "FAILS", tone: "bad" },
  undecided: { text: "undecided", tone: "warning" },
  missing: { text: "no figure", tone: "bad" },
};

export interface GatesOptions extends LookOptions {
  /** Treatment of undecided gates. */
  readonly undecided: "pass" | "fail";
  /** Stored runs that gates refer to, with the differences of their environment. */
  readonly elsewhere: readonly { readonly run: string; readonly differences: readonly EnvironmentDifference[] }[];
}

/** Marks a figure without an interval. */
const SINGLE = " (single)";

/** Number of environment differences to list; the first matter most. */
const SHOWN = 4;

/** Returns the table of gates: measured figure with its interval, limit, result and reason. */
export function gatesTable(outcomes: readonly GateOutcome[]): TableSpec<GateOutcome> {
  const everywhere = outcomes.some(({ gate, variant }) => gate.variant !== variant);
  const single = outcomes.some((outcome) => formatMeasured(outcome).endsWith(SINGLE));
  return {
    title: "Gates",
    columns: [
      words("gate", ({ gate }) => gate.text, { breakAfter: ",", cut: true }),
      ...everywhere ? [words<GateOutcome>("variant", ({ variant }) => variant, { breakAfter: "," })] : [],
      words("measured, 95 % interval", formatMeasured),
      words("wanted", formatWanted, { dropFirst: 1 }), // which the gate says too
      words("result", ({ state }) => WORDS[state].text, { tone: ({ state }) => WORDS[state].tone }),
      words("why", formatWhy, { below: (outcome) => formatWhy(outcome) || null }),
    ],
    rows: outcomes,
    notes: single ? ["single: one figure without an interval, compared as is"] : [],
  };
}

/** Renders the gates, under a summary of how many are met. */
export function renderGates(
  outcomes: readonly GateOutcome[],
  { undecided, elsewhere, ...look }: GatesOptions,
): string {
  const page = createPage(look);
  const table = gatesTable(outcomes);
  const { lines, dropped } = renderRows(page, table);
  const notes = [...table.notes ?? [], ...droppedNote(page, dropped), ...elsewhere.flatMap(elsewhereNote)]
    .flatMap((note) => quiet(page, note, 4));
  return [...wrap(summary(outcomes, undecided), page.width), ...lines, ...notes].join("\n") + "\n";
}

/** Returns the note that a stored run had another environment, which changes its speeds. */
function elsewhereNote({ run, differences }: GatesOptions["elsewhere"][number]): string[] {
  if (differences.length === 0) return [];
  const shown = differences.slice(0, SHOWN)
    .map(({ what, then, now }) => `${what} ${then ?? MISSING} there, ${now ?? MISSING} here`);
  const more = differences.length > SHOWN ? [`${differences.length - SHOWN} more`] : [];
  return [`${run} ran under different conditions: ${[...shown, ...more].join("; ")}`];
}

/** Summarises the gates: `3 gates: 1 not met`. */
function summary(outcomes: readonly GateOutcome[], undecided: "pass" | "fail"): string {
  const count = (...states: GateState[]) => outcomes.filter(({ state }) => states.includes(state)).length;
  const open = count("undecided");
  const unmet = count("fail", "missing") + (undecided === "fail" ? open : 0);
  const all = formatCounted(outcomes.length, "gate");
  const words = unmet === 0 ? `${all}: met` : `${all}: ${unmet} not met`;
  if (open === 0) return words;
  return `${words} (${open} undecided, which ${undecided === "fail" ? "is not met" : "counts as met"})`;
}

/** Formats the figure that was compared with the limit; `formatWhy` has the two figures behind a relative one. */
function formatMeasured(outcome: GateOutcome): string {
  const { reading, compared } = outcome;
  if (reading.kind === "missing") return MISSING;
  if (reading.kind === "word") return reading.word;
  const scale = compared === null ? scaleOf(outcome) : comparandScale(outcome, compared);
  const { value, interval } = compared ?? { ...reading, interval: null };
  if (interval !== null) {
    return inScale(scale, `${scale.show(value)} [${scale.show(interval.low)}, ${scale.show(interval.high)}]`);
  }
  return inScale(scale, scale.show(value)) + (compared?.sample === null && !isExact(outcome) ? SINGLE : "");
}

/** Describes an outcome in one line: `measured 22, wanted <= 20; why`. */
export function gateSentence(outcome: GateOutcome): string {
  const why = formatWhy(outcome);
  return `measured ${formatMeasured(outcome)}, wanted ${formatWanted(outcome)}${why === "" ? "" : `; ${why}`}`;
}

function isExact({ gate: { metric } }: GateOutcome): boolean {
  return /^(exact|isa)\./.test(metric.name);
}

function formatWanted(outcome: GateOutcome): string {
  const { gate: { operator, wanted }, compared } = outcome;
  if (wanted.kind === "words") return `${operator} ${wanted.words.join(" or ")}`;
  if (compared !== null) {
    const scale = comparandScale(outcome, compared);
    return `${operator} ${inScale(scale, scale.show(compared.limit))}`;
  }
  if (wanted.kind !== "number") return `relative to ${wanted.run}`;
  const scale = scaleOf(outcome);
  return `${operator} ${inScale(scale, scale.show(wanted.value))}`;
}

/** Formats the text below a row: the reason, and the two figures behind a relative one. */
function formatWhy(outcome: GateOutcome): string {
  const { reading, reference, why } = outcome;
  if (reference?.reading.kind !== "number" || reading.kind !== "number") return why;
  const scale = scaleOf(outcome);
  const [now, then] = [reading, reference.reading].map(({ value }) => inScale(scale, scale.show(value)));
  return `${now} now, ${then} in ${reference.run}` + (why === "" ? "" : `; ${why}`);
}

/** Notation of a figure and its interval, with the unit once around both. */
interface Scale {
  readonly before: string;
  readonly after: string;
  show(value: number): string;
}

const TIMES: Scale = { before: "×", after: "", show: (value) => value.toFixed(3) };

function inScale({ before, after }: Scale, figures: string): string {
  return before + figures + after;
}

function comparandScale(outcome: GateOutcome, { by }: Comparand): Scale {
  if (by === "ratio") return TIMES;
  const scale = scaleOf(outcome);
  if (by === "value") return scale;
  return { ...scale, show: (value) => value < 0 ? `-${scale.show(-value)}` : `+${scale.show(value)}` };
}

function scaleOf({ gate: { metric }, reading }: GateOutcome): Scale {
  switch (metric.quantity) {
    case "time":
      return { before: "", after: " ms", show: formatNumber };
    case "bytes":
      return { before: "", after: "", show: formatBytes };
    case "ratio":
      return metric.name === "speedup" ? TIMES : { before: "", after: " %", show: formatPercent };
    case "rate":
      return { before: "", after: reading.kind === "number" ? ` ${reading.unit}` : "", show: formatNumber };
    default:
      return {
        before: "",
        after: "",
        show: (value) => Number.isInteger(value) ? formatCount(value) : formatLoss(value),
      };
  }
}
