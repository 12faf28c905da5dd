import type { AutotuneResult, Result, TunedOpResult } from "../result/schema.ts";
import { formatNumber, formatPercent, MISSING } from "./format.ts";
import { createPage, type LookOptions, renderRows } from "./page.ts";
import { nameInProse, nameText } from "./plain_text.ts";
import { tuningTable } from "./tuning_table.ts";
import { wrap } from "./wrap.ts";

export interface TuningOptions extends LookOptions {
  /** Lists every candidate, not only the default and the chosen one. */
  readonly candidates: boolean;
}

/** Longest name of a candidate in print. */
const LONGEST_NAME = 80;

/** Returns one line for each tuned variant: ops timed, tuning time and gain. */
export function tuningSummary({ variants }: Result): string[] {
  return variants.flatMap(({ name, autotune }) => autotune === null ? [] : [summary(name, autotune)]);
}

/** Returns the warnings about the cache of times, once where variants share it. */
export function tuningWarnings({ variants }: Result): string[] {
  return [...new Set(variants.flatMap(({ autotune }) => autotune?.warnings ?? []))];
}

/** Renders the ops of each tuned variant with their kernels' times; empty where nothing was tuned. */
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
    : `; the kernels take ${formatNumber(after)} instead of ${formatNumber(before)} ms per step`;
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
