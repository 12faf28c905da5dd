import type { FoundSteps, Step } from "../../result/attach_result.ts";
import { HASH_SEED, mix } from "../../attach/hash.ts";
import { type TotalName, TOTALS } from "../../attach/records.ts";
import { isStepName } from "../../attach/settings.ts";
import { median } from "../../core/statistics.ts";
import { type DeviceRecording, type Stretch, totalOf } from "./recording.ts";

/** Longest period of a program's steps, in stretches. */
const LONGEST = 1024;

/** Occurrences of a period in a row that make it steps. */
const OCCURRENCES = 3;

/** Part of the best coverage that a shorter period must reach to be preferred. */
const NEARLY = 0.9;

/** A step before its totals are known. */
type Group = readonly [from: number, to: number];

/**
 * Finds the steps of a program. Marks, and calls to the profiler, delimit them; otherwise the kernels between waits must repeat
 * at least three times in a row. Where nothing repeats, there are no steps.
 *
 * @param asked how the user wants steps to be found
 */
export function findSteps(recording: DeviceRecording, asked: "auto" | "wait" | "submit" | "mark" | "step"): FoundSteps {
  const { stretches } = recording;
  const ends = (by: Stretch["by"]) => stretches.flatMap((stretch, i) => stretch.by === by ? [i] : []);
  const found = (by: FoundSteps["by"], how: string, groups: readonly Group[]): FoundSteps => ({
    by,
    how,
    steps: withTotals(recording, groups),
  });
  const none = (how: string) => found("none", how, []);
  if (ends("step").length > 0) return found("step", "steps end with calls of profiler.step()", upTo(ends("step")));
  if (asked === "submit") return found("submit", "steps end at submits", upTo(ends("submit")));
  if (asked === "wait") return found("wait", "steps end with waits for the device", upTo(ends("wait")));
  const marked = markedSteps(stretches);
  if (marked !== null) {
    return found("mark", `steps begin at performance marks named "${marked.name}"`, marked.groups);
  }
  if (asked === "mark") {
    return none('the program sets fewer than two performance marks named "step" (or "step 1", "step:train")');
  }
  for (const what of ["wait", "submit"] as const) {
    const units = what === "wait" ? upTo(ends("wait")) : stretches.map((_, i): Group => [i, i + 1]);
    const groups = repeating(stretches, units);
    if (groups === null) continue;
    const { period, steps } = groups;
    return found("pattern", `the same kernels repeat every ${period === 1 ? `${what}` : `${period} ${what}s`}`, steps);
  }
  return none(
    `no kernels repeat ${OCCURRENCES} times in a row; delimit steps with performance.mark("step"), --steps wait or ` +
      "--steps submit:N",
  );
}

/** Finds steps in units of stretches; null without any. The period counts units. */
function repeating(stretches: readonly Stretch[], units: readonly Group[]): { period: number; steps: Group[] } | null {
  const joined = withReadbacks(stretches, units);
  const pattern = findPattern(joined.map((unit) => symbolOf(stretches, unit)));
  if (pattern === null) return null;
  const { period, starts } = pattern;
  const steps = starts.map((start): Group => [joined[start]![0], joined[start + period - 1]![1]]);
  return { period, steps: withoutLastReadbacks(stretches, steps) };
}

/** Cuts what follows the kernels of the last step, such as the readback of the program's result, if other steps have none. */
function withoutLastReadbacks(stretches: readonly Stretch[], steps: readonly Group[]): Group[] {
  const usual = median(steps.map(([from, to]) => to - from));
  return steps.map(([from, to], i): Group => {
    if (i < steps.length - 1 || to - from <= usual) return [from, to];
    const works = stretches.slice(0, to).findLastIndex(({ symbol }) => symbol !== 0);
    return [from, Math.max(works + 1, from + Math.floor(usual))];
  });
}

/** Groups stretches so that each group ends with one of these. */
function upTo(ends: readonly number[]): Group[] {
  return ends.map((end, i): Group => [i === 0 ? 0 : ends[i - 1]! + 1, end + 1]);
}

/** Adds units without kernels, such as the readback of a result, to the unit before. */
function withReadbacks(stretches: readonly Stretch[], units: readonly Group[]): Group[] {
  const joined: [from: number, to: number][] = [];
  for (const [from, to] of units) {
    const last = joined.at(-1);
    if (last !== undefined && symbolOf(stretches, [from, to]) === HASH_SEED) last[1] = to;
    else joined.push([from, to]);
  }
  return joined;
}

/** Returns the steps between marks of the first name that marks steps; null if there are fewer than two marks. */
function markedSteps(stretches: readonly Stretch[]): { name: string; groups: Group[] } | null {
  const plain = (name: string) => name.replace(/\d+/g, "").trim();
  const marks = stretches.flatMap(({ by, name }, i) =>
    by === "mark" && isStepName(name ?? "") ? [{ name: name!, i }] : []
  );
  const [first] = marks;
  if (first === undefined) return null;
  const ends = marks.filter(({ name }) => plain(name) === plain(first.name)).map(({ i }) => i);
  if (ends.length < 2) return null;
  return { name: plain(first.name), groups: upTo(ends).slice(1) };
}

function symbolOf(stretches: readonly Stretch[], [from, to]: Group): number {
  return stretches.slice(from, to).reduce((hash, { symbol }) => symbol === 0 ? hash : mix(hash, symbol), HASH_SEED);
}

/**
 * Finds the period that explains most of a sequence, and the starts of its occurrences. Returns null if none occurs three
 * times in a row. A period must contain a kernel.
 */
export function findPattern(symbols: readonly number[]): { period: number; starts: number[] } | null {
  let best: { period: number; covered: number } | null = null;
  const coverages: { period: number; covered: number }[] = [];
  for (let period = 1; period <= Math.min(LONGEST, Math.floor(symbols.length / OCCURRENCES)); period++) {
    const covered = runsOf(symbols, period).reduce((sum, [from, to]) => sum + to - from, 0);
    if (covered === 0) continue;
    coverages.push({ period, covered });
    if (best === null || covered > best.covered) best = { period, covered };
  }
  const chosen = coverages.find(({ covered }) => covered >= NEARLY * best!.covered);
  if (chosen === undefined) return null;
  const { period } = chosen;
  const starts = runsOf(symbols, period).flatMap(([from, to]) =>
    Array.from({ length: Math.floor((to - from) / period) }, (_, i) => from + i * period)
  );
  return { period, starts };
}

/** Returns the stretches of a sequence in which a period with kernels occurs three times in a row. */
function runsOf(symbols: readonly number[], period: number): [from: number, to: number][] {
  const runs: [number, number][] = [];
  let matches = 0;
  for (let i = period; i <= symbols.length; i++) {
    if (i < symbols.length && symbols[i] === symbols[i - period]) {
      matches++;
      continue;
    }
    const from = i - matches - period;
    const works = symbols.slice(from, from + period).some((symbol) => symbol !== HASH_SEED);
    if (matches >= (OCCURRENCES - 1) * period && works) runs.push([from, i]);
    matches = 0;
  }
  // A run may share its first symbols with the end of the one before
  return runs.map(([from, to], i) => [Math.max(from, runs[i - 1]?.[1] ?? 0), to] as [number, number])
    .filter(([from, to]) => to - from >= period);
}

function withTotals({ stretches, passes, pipelines }: DeviceRecording, groups: readonly Group[]): Step[] {
  const firstUses = new Map<number, number>();
  for (const { site, submit } of passes) if (!firstUses.has(site.kernel)) firstUses.set(site.kernel, submit);
  const newKernels = new Set(firstUses.values());
  const passesOf = new Map<number, number>();
  for (const { submit } of passes) passesOf.set(submit, (passesOf.get(submit) ?? 0) + 1);
  const timedPasses = (from: number, to: number) => {
    let count = 0;
    for (let submit = from; submit < to; submit++) count += passesOf.get(submit) ?? 0;
    return count;
  };
  let warm = false;
  return groups.map(([from, to]): Step => {
    const own = stretches.slice(from, to);
    const [first, last] = [own[0]!, own.at(-1)!];
    const totals = Object.fromEntries(
      TOTALS.map((name) => [name, own.reduce((sum, stretch) => sum + totalOf(stretch, name), 0)]),
    ) as Record<TotalName, number>;
    const { firstSubmit } = first;
    const { endSubmit } = last;
    const compiles = pipelines.some(({ cuts }) => cuts >= from && cuts < to);
    const isNew = [...newKernels].some((submit) => submit >= firstSubmit && submit < endSubmit);
    if (!compiles && !isNew) warm = true;
    return {
      ...{ from, to, start: first.start, end: last.end, firstSubmit, endSubmit, totals },
      wall: last.end - first.start - totals.ownMs,
      timing: timingOf(totals, timedPasses(firstSubmit, endSubmit)),
      warmUp: !warm,
    };
  });
}

/** @param passes number of its passes with usable timestamps */
function timingOf(
  { dispatches, timedDispatches, renderPasses }: Readonly<Record<TotalName, number>>,
  passes: number,
): Step["timing"] {
  const [timed, all] = dispatches > 0 ? [timedDispatches, dispatches] : [passes, renderPasses];
  return timed === 0 ? "untimed" : timed === all ? "timed" : "mixed";
}
