import type { AutotuneResult, Result, TunedOpResult, VariantResult } from "../result/schema.ts";
import { formatNumber, formatPercent, MISSING } from "./format.ts";
import { createPage, type LookOptions, renderRows } from "./page.ts";
import { nameInProse, nameText } from "./plain_text.ts";
import { type Column, counts, figures, type TableSpec, words } from "./spec.ts";
import { wrap } from "./wrap.ts";

export interface TuningOptions extends LookOptions {
  /** Whether each candidate is listed, rather than the default and the chosen one alone. */
  readonly candidates: boolean;
}

/** Names of candidates are cut here. */
const LONGEST_NAME = 80;

const COLUMNS: readonly Column<TunedOpResult>[] = [
  words("op", ({ op }) => op, { cut: true }),
  counts("times in a step", ({ nodes }) => nodes.length, { heading: ["calls"], dropFirst: 2 }),
  words("shapes", ({ inputs, outputs }) => `${inputs.slice(0, 2).join(" ")} > ${outputs[0] ?? MISSING}`, {
    cut: true,
    dropFirst: 1,
  }),
  figures("default", defaultOf, { heading: ["default", "ms"], unit: "ms" }),
  figures("chosen", chosenOf, { heading: ["chosen", "ms"], unit: "ms" }),
  figures("gain", gainOf, { format: (gain) => `×${formatNumber(gain)}`, help: "default / chosen" }),
  words("kernel", ({ chosen }) => chosen, { dropFirst: 3 }),
  counts("candidates", ({ candidates }) => candidates.length, { only: "data" }),
  words("source", ({ source }) => source, { heading: ["from"], dropFirst: 0 }),
];

/** One line for each tuned variant: what was timed, what it took, what it brings. */
export function tuningSummary({ variants }: Result): string[] {
  return variants.flatMap(({ name, autotune }) => autotune === null ? [] : [summary(name, autotune)]);
}

/** What was wrong with the cache of times; once where variants share it. */
export function tuningWarnings({ variants }: Result): string[] {
  return [...new Set(variants.flatMap(({ autotune }) => autotune?.warnings ?? []))];
}

/** The tuned ops, those that gain most first. */
export function tuningTable({ name, autotune }: Pick<VariantResult, "name" | "autotune">): TableSpec<TunedOpResult> {
  return {
    title: `${nameInProse(name)}: kernels timed on the ${autotune?.clock}'s clock, the ops that gain most first`,
    columns: COLUMNS,
    rows: autotune?.ops.toSorted((a, b) => saved(b) - saved(a)) ?? [],
    notes: autotune === null ? [] : [`gain: default / chosen. Times are kept in ${autotune.cache}`],
  };
}

/** The ops of each tuned variant with their kernels' times; empty where none was tuned. */
export function renderTuning(result: Result, { candidates, ...look }: TuningOptions): string {
  const page = createPage(look);
  return result.variants.flatMap((variant) => {
    if (variant.autotune === null) return [];
    const table = tuningTable(variant);
    const { lines } = renderRows(page, table, (op) => candidates ? listed(op) : []);
    const head = wrap(table.title, page.width).map((line) => page.paint(line, "heading"));
    return [[...head, ...lines, ...(table.notes ?? []).flatMap((note) => wrap(note, page.width)), ""].join("\n")];
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

function gainOf(op: TunedOpResult): number | null {
  const [first, used] = [defaultOf(op), chosenOf(op)];
  return first === null || used === null || used === 0 ? null : first / used;
}

/** ms a step. */
function saved(op: TunedOpResult): number {
  const used = chosenOf(op);
  return used === null ? 0 : (defaultOf(op) ?? used) * op.nodes.length - used * op.nodes.length;
}
