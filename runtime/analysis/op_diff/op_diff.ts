import { median } from "../../core/statistics.ts";
import { tProbability, tQuantile } from "../student_t.ts";
import { benjaminiHochberg } from "../comparison/holm.ts";
import { type Both, type LogDifference, pairedDifferences, separateDifferences } from "./log_difference.ts";
import type { DiffItem, DiffSide } from "./side.ts";

/** Change of the machine between two measurements, from work that is equal in both. */
interface MachineShift {
  /** Log of the ratio that equal work has in common. */
  readonly log: number;
  /** Standard deviation of equal work around it, beyond the noise of its steps; at least the floor. */
  readonly spread: number;
  /** Factor of standard errors with which equal work is as far from it as chance explains; at least 1. */
  readonly inflation: number;
  /** Number of items with equal work. */
  readonly items: number;
}

/** Fewest items with equal work that show how the machine changed. */
const MIN_ITEMS = 6;

/** Median absolute deviation of a normal distribution with standard deviation 1. */
const NORMAL_MAD = 0.6745;

/** Level of the intervals, and of the false discovery rate. */
const DIFF_LEVEL = 0.95;

/** Default of the smallest change to report, like `measure.minEffect`. */
const MIN_EFFECT = 0.01;

/**
 * Most degrees of freedom of the tests, for sides that took turns and for two processes. Processes shift single ops, some by
 * far more than the others; Student's t with few degrees of freedom describes such errors (K. L. Lange, R. J. A. Little and
 * J. M. G. Taylor, "Robust statistical modeling using the t distribution", JASA 84, 1989). Set-ups between rounds leave little
 * of it where sides take turns.
 */
const FREEDOM = { turns: 10, processes: 4 } as const;

/**
 * Standard deviation of the change of the machine between two processes, on the scale of logs, where too little work is equal
 * to estimate it: that of unchanged ops between runs on a software adapter.
 */
const PROCESS_SPREAD = 0.2;

/**
 * Smallest standard deviation of an op's change between two processes, on the scale of logs. Most processes repeat the time
 * of a kernel within 2 %, but now and then one shifts a single kernel in all its steps: by up to a factor of 1.4 in 41
 * processes on a software adapter. With this floor such a shift has a p of 0.003, which is no change among 20 kernels or more.
 */
const PROCESS_FLOOR = 0.05;

/**
 * Verdict on an item: `new` and `gone` exist on one side only; `same` is not significant, or smaller than the smallest
 * change to report; `unknown` has too few times for a test.
 */
export type DiffVerdict = "slower" | "faster" | "new" | "gone" | "same" | "unknown";

/** An op or kernel on both sides. Times are in ms per step. */
export interface DiffRow {
  readonly name: string;
  readonly phase: string | null;
  /** Kernel on each side; null where the item is missing. */
  readonly kernels: readonly [a: string | null, b: string | null];
  /** Medians, with the estimated ratio. */
  readonly a: number | null;
  readonly b: number | null;
  /** b - a; a missing side counts as 0. Null if a side was not timed. */
  readonly change: number | null;
  /** Interval of the change; null for new and gone items and without enough times. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** b / a; null where a side is missing or not timed. */
  readonly ratio: number | null;
  /** p of no change beyond the machine's, corrected for the number of items; null if it was not tested. */
  readonly adjustedP: number | null;
  readonly verdict: DiffVerdict;
}

/** A part of the step, in ms. */
export interface DiffSum {
  readonly name: string;
  readonly a: number;
  readonly b: number;
  /** b - a */
  readonly change: number;
}

/** Differences of two sides. */
export interface OpDiff {
  readonly labels: readonly [a: string, b: string];
  /** Changed items first, then the others; each by the size of the change. */
  readonly rows: readonly DiffRow[];
  /** Parts that add up to the last one, the step. */
  readonly sums: readonly DiffSum[];
  /** True if both sides took turns in one process. */
  readonly inTurns: boolean;
  /** Change of the machine between the sides; null if too little work is equal to tell. */
  readonly machine: MachineShift | null;
}

/** An item on one side or both; `log` is null where a test is not possible. */
interface Pair {
  readonly a: DiffItem | null;
  readonly b: DiffItem | null;
  readonly log: LogDifference | null;
}

/**
 * Compares two sides item by item. Ratios are relative to the change of the machine. Where both sides took turns, they are
 * those of the two steps of a round; otherwise those of medians, with the variances of both (R. M. Price and D. G. Bonett,
 * "Distribution-free confidence intervals for difference and ratio of medians", J. Stat. Comput. Simul. 72, 2002). To these
 * errors comes the spread of equal work. p is corrected by Benjamini and Hochberg.
 *
 * @param minEffect smallest relative change to report
 */
export function opDiff(a: DiffSide, b: DiffSide, minEffect = MIN_EFFECT): OpDiff {
  const inTurns = a.rounds !== null && a.rounds === b.rounds;
  const pairs = pairsOf(a, b, inTurns ? pairedDifferences : separateDifferences);
  const equal = pairs.filter((pair) => pair.a?.work === pair.b?.work).flatMap(({ log }) => log ?? []);
  const machine = machineShift(equal, inTurns ? 0 : PROCESS_FLOOR);
  const assumed = { log: 0, spread: inTurns ? 0 : PROCESS_SPREAD, inflation: 1 };
  const freedom = inTurns ? FREEDOM.turns : FREEDOM.processes;
  const tests = pairs.map(({ log }) => log === null ? null : test(log, machine ?? assumed, freedom));
  const tested = tests.filter((one) => one !== null);
  const adjusted = benjaminiHochberg(tested.map(({ p }) => p));
  const rows = pairs.map((pair, i): DiffRow => {
    const own = tests[i]!;
    return rowOf(pair, own, own === null ? null : adjusted[tested.indexOf(own)]!, minEffect);
  });
  return { labels: [a.label, b.label], rows: inOrder(rows), sums: sumsOf(a, b, rows), inTurns, machine };
}

/** Returns true for a row that says that something changed. */
export function isChanged({ verdict }: Pick<DiffRow, "verdict">): boolean {
  return verdict !== "same" && verdict !== "unknown";
}

function pairsOf(
  a: DiffSide,
  b: DiffSide,
  differences: (pairs: readonly Both[]) => readonly (LogDifference | null)[],
): Pair[] {
  const others = new Map(b.items.map((item) => [item.key, item]));
  const both: Both[] = [];
  const gone: Pair[] = [];
  for (const item of a.items) {
    const other = others.get(item.key);
    others.delete(item.key);
    if (other === undefined) gone.push({ a: item, b: null, log: null });
    else both.push({ a: item, b: other });
  }
  const logs = differences(both);
  return [
    ...both.map((pair, i): Pair => ({ ...pair, log: logs[i]! })),
    ...gone,
    ...[...others.values()].map((item): Pair => ({ a: null, b: item, log: null })),
  ];
}

interface Test {
  readonly log: number;
  /** Half the width of the interval, on the scale of logs. */
  readonly half: number;
  readonly p: number;
  /** Log of the change beyond the machine's. */
  readonly own: number;
}

function test(
  { log, error, rounds }: LogDifference,
  { log: shift, spread, inflation }: Pick<MachineShift, "log" | "spread" | "inflation">,
  freedom: number,
): Test {
  const df = Math.min(freedom, rounds - 1);
  const whole = inflation * Math.hypot(error, spread);
  const own = log - shift;
  const p = whole === 0 ? (own === 0 ? 1 : 0) : tProbability(own / whole, df);
  return { log, half: whole * tQuantile(DIFF_LEVEL, df), p, own };
}

function rowOf({ a, b }: Pair, test: Test | null, adjustedP: number | null, minEffect: number): DiffRow {
  const both = a !== null && b !== null;
  const [before, after] = shownTimes(a?.median ?? null, b?.median ?? null, test);
  const isKnown = (a === null || before !== null) && (b === null || after !== null);
  const ratio = both && before !== null && after !== null && before > 0 ? after / before : null;
  const at = (log: number) => before! * Math.expm1(log);
  const interval = test === null ? null : { low: at(test.log - test.half), high: at(test.log + test.half) };
  return {
    name: (b ?? a)!.name,
    phase: (b ?? a)!.phase,
    kernels: [a?.kernel ?? null, b?.kernel ?? null],
    a: before,
    b: after,
    change: isKnown ? (after ?? 0) - (before ?? 0) : null,
    interval,
    ratio,
    adjustedP,
    verdict: !both ? (a === null ? "new" : "gone") : verdictOf(test, adjustedP, minEffect),
  };
}

/**
 * Returns the times to print. Where the ratio is estimated from the steps of each round, the two medians get that ratio and
 * keep their geometric mean: the medians of a few steps each differ by chance.
 */
function shownTimes(a: number | null, b: number | null, test: Test | null): [number | null, number | null] {
  if (a === null || b === null || test === null) return [a, b];
  const center = Math.sqrt(a * b);
  return [center * Math.exp(-test.log / 2), center * Math.exp(test.log / 2)];
}

function verdictOf(test: Test | null, adjustedP: number | null, minEffect: number): DiffVerdict {
  if (test === null || adjustedP === null) return "unknown";
  if (adjustedP >= 1 - DIFF_LEVEL || Math.abs(test.own) < Math.log1p(minEffect)) return "same";
  return test.own > 0 ? "slower" : "faster";
}

function inOrder(rows: readonly DiffRow[]): DiffRow[] {
  const size = ({ change }: DiffRow) => change === null ? -1 : Math.abs(change);
  return rows.toSorted((x, y) => Number(isChanged(y)) - Number(isChanged(x)) || size(y) - size(x));
}

/** Returns the items and the rest of the step, which add up to the step. */
function sumsOf(a: DiffSide, b: DiffSide, rows: readonly DiffRow[]): DiffSum[] {
  const total = (side: "a" | "b") => rows.reduce((sum, row) => sum + (row[side] ?? 0), 0);
  const items = { a: total("a"), b: total("b") };
  const whole = sum("device time, summed", items.a, items.b);
  if (a.step === null || b.step === null) return [whole];
  return [
    whole,
    sum("rest of the step: gaps, host, waiting, idle device", a.step - items.a, b.step - items.b),
    sum("step", a.step, b.step),
  ];
}

function sum(name: string, a: number, b: number): DiffSum {
  return { name, a, b, change: b - a };
}

/**
 * Estimates how the machine changed between two measurements. The same code on the same shapes should take the same time, so
 * its ratios form an empirical null distribution (B. Efron, "Large-scale simultaneous hypothesis testing", JASA 99, 2004).
 * Location and spread are medians, which a few real changes among the items do not move. Null with fewer than 6 items.
 *
 * @param floor smallest spread: that of items which few pairs of measurements shift, so that a median does not see it
 */
function machineShift(
  equal: readonly Pick<LogDifference, "log" | "error">[],
  floor = 0,
): MachineShift | null {
  if (equal.length < MIN_ITEMS) return null;
  const log = median(equal.map((one) => one.log));
  const deviation = median(equal.map((one) => Math.abs(one.log - log))) / NORMAL_MAD;
  const noise = median(equal.map(({ error }) => error));
  const spread = Math.max(floor, Math.sqrt(Math.max(0, deviation ** 2 - noise ** 2)));
  const scores = equal.map((one) => {
    const error = Math.hypot(one.error, spread);
    return error === 0 ? 0 : Math.abs(one.log - log) / error;
  });
  return { log, spread, inflation: Math.max(1, median(scores) / NORMAL_MAD), items: equal.length };
}
