import type { AutotuneResult, Result, TunedOpResult } from "../result/schema.ts";
import { createPaint } from "./color.ts";
import { formatNumber, formatPercent, MISSING } from "./format.ts";
import { nameInProse, nameText } from "./plain_text.ts";
import { type Cell, type Column, renderTable } from "./table.ts";
import { wrap } from "./wrap.ts";

export interface TuningOptions {
  /** Columns of the terminal; null when the output is no terminal and nothing has to be left out. */
  readonly columns: number | null;
  readonly color: boolean;
  /** Whether each candidate is listed, rather than the default and the chosen one alone. */
  readonly candidates: boolean;
}

const WIDTH = 100;

/** Names of candidates are cut here. */
const LONGEST_NAME = 80;

const COLUMNS: readonly Column[] = [
  { name: "op", heading: ["op"], align: "left", cut: true },
  { name: "times in a step", heading: ["calls"], align: "right", dropFirst: 2 },
  { name: "shapes", heading: ["shapes"], align: "left", cut: true, dropFirst: 1 },
  { name: "default", heading: ["default", "ms"], align: "right" },
  { name: "chosen", heading: ["chosen", "ms"], align: "right" },
  { name: "gain", heading: ["gain"], align: "right" },
  { name: "kernel", heading: ["kernel"], align: "left", dropFirst: 3 },
  { name: "source", heading: ["from"], align: "left", dropFirst: 0 },
];

/** One line for each tuned variant: what was timed, what it took, what it brings. */
export function tuningSummary({ variants }: Result): string[] {
  return variants.flatMap(({ name, autotune }) => autotune === null ? [] : [summary(name, autotune)]);
}

/** What was wrong with the cache of times; once where variants share it. */
export function tuningWarnings({ variants }: Result): string[] {
  return [...new Set(variants.flatMap(({ autotune }) => autotune?.warnings ?? []))];
}

/** The ops of each tuned variant with their kernels' times; empty where none was tuned. */
export function renderTuning(result: Result, { columns, color, candidates }: TuningOptions): string {
  const paint = createPaint(color);
  const width = columns ?? WIDTH;
  return result.variants.flatMap(({ name, autotune }) => {
    if (autotune === null) return [];
    const ops = autotune.ops.toSorted((a, b) => saved(b) - saved(a));
    const table = renderTable(COLUMNS, ops.map(cells), {
      width,
      drop: columns !== null,
      paint,
      under: (row) => candidates ? listed(ops[row]!) : [],
    });
    const title = `${nameInProse(name)}: kernels timed on the ${autotune.clock}'s clock, the ops that gain most first`;
    const foot = `gain: default / chosen. Times are kept in ${autotune.cache}`;
    const prose = (text: string) => wrap(text, Math.min(width, WIDTH));
    const head = prose(title).map((line) => paint(line, "heading"));
    return [[...head, ...table.lines, ...prose(foot), ""].join("\n")];
  }).join("\n");
}

function summary(name: string, { ops, hits, spent, before, after }: AutotuneResult): string {
  const timed = ops.filter(({ source }) => source === "timed");
  const left = ops.filter(({ source }) => source === "left").length;
  const runs = timed.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const rate = ops.length === 0 ? "" : ` (${formatPercent(hits / ops.length)} %)`;
  const gain = before === 0
    ? ""
    : `; their kernels take ${formatNumber(after)} in place of ${formatNumber(before)} ms a step`;
  return `autotune of ${nameInProse(name)}: ${ops.length} ops, ${hits} from the cache${rate}, ${timed.length} timed ` +
    `(${runs} candidates) in ${formatNumber(spent / 1000)} s${
      left === 0 ? "" : `, ${left} left at the default`
    }${gain}`;
}

function cells(op: TunedOpResult): Cell[] {
  const [first, used] = [defaultOf(op), chosenOf(op)];
  const ms = (time: number | null) => ({ text: time === null ? MISSING : formatNumber(time) });
  return [
    { text: op.op },
    { text: String(op.nodes.length) },
    { text: `${op.inputs.slice(0, 2).join(" ")} > ${op.outputs[0] ?? MISSING}` },
    ms(first),
    ms(used),
    { text: first === null || used === null || used === 0 ? MISSING : `×${formatNumber(first / used)}` },
    { text: op.chosen },
    { text: op.source },
  ];
}

function listed({ candidates }: TunedOpResult): string[] {
  return candidates.map(({ name, time, chosen }) =>
    `  ${chosen ? ">" : " "} ${(time === null ? MISSING : formatNumber(time)).padStart(7)} ms  ${
      nameText(name, LONGEST_NAME)
    }`
  );
}

/** The time of the default, which is the first. */
function defaultOf({ candidates }: TunedOpResult): number | null {
  return candidates[0]?.time ?? null;
}

function chosenOf({ candidates }: TunedOpResult): number | null {
  return candidates.find(({ chosen }) => chosen)?.time ?? null;
}

/** ms a step. */
function saved(op: TunedOpResult): number {
  const used = chosenOf(op);
  return used === null ? 0 : (defaultOf(op) ?? used) * op.nodes.length - used * op.nodes.length;
}
